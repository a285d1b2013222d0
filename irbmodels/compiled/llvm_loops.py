"""LLVM IR of the loops around a program: over groups of states, in blocks, and of copies."""

ATTRIBUTES = """
attributes #0 = { nounwind alignstack=64 "min-legal-vector-width"="512" }
!0 = !{}
"""

COPY = """
define internal void @copy(
    ptr noalias %to, i64 %to_row, ptr noalias %from, i64 %from_row, i64 %rows, i64 %columns,
    i64 %last_row, i64 %last_column) nounwind {{
entry:
  br label %row
row:
  %r = phi i64 [0, %entry], [%r.next, %column.done]
  %r.inside = icmp ult i64 %r, %last_row
  %r.from = select i1 %r.inside, i64 %r, i64 %last_row
  %r.go = icmp ult i64 %r, %rows
  br i1 %r.go, label %row.begin, label %done
row.begin:
  %to.offset = mul i64 %r, %to_row
  %to.start = getelementptr i8, ptr %to, i64 %to.offset
  %from.offset = mul i64 %r.from, %from_row
  %from.start = getelementptr i8, ptr %from, i64 %from.offset
  br label %column
column:
  %c = phi i64 [0, %row.begin], [%c.next, %column.body]
  %c.go = icmp ult i64 %c, %columns
  br i1 %c.go, label %column.body, label %column.done
column.body:
  %c.inside = icmp ult i64 %c, %last_column
  %c.from = select i1 %c.inside, i64 %c, i64 %last_column
  %from.place = getelementptr {item}, ptr %from.start, i64 %c.from
  %x = load {item}, ptr %from.place, align {bytes}
  %to.place = getelementptr {item}, ptr %to.start, i64 %c
  store {item} %x, ptr %to.place, align {bytes}
  %c.next = add i64 %c, 1
  br label %column
column.done:
  %r.next = add i64 %r, 1
  br label %row
done:
  ret void
}}
"""

SPREAD = """
define internal void @spread(
    ptr noalias %y, i64 %stride, ptr noalias %buffer, ptr %places, i64 %rows, i64 %size) nounwind {{
entry:
  %last = sub i64 %size, {width}
  br label %row
row:
  %k = phi i64 [0, %entry], [%k.next, %row.done]
  %place.at = getelementptr i64, ptr %places, i64 %k
  %place = load i64, ptr %place.at
  %from = getelementptr i8, ptr %buffer, i64 %place
  %offset = mul i64 %k, %stride
  %to = getelementptr i8, ptr %y, i64 %offset
  br label %column
column:
  %c = phi i64 [0, %row], [%c.next, %column]
  %inside = icmp ult i64 %c, %last
  %j = select i1 %inside, i64 %c, i64 %last
  %j.offset = mul i64 %j, {bytes}
  %from.place = getelementptr i8, ptr %from, i64 %j.offset
  %x = load {real}, ptr %from.place, align {bytes}
  %to.place = getelementptr i8, ptr %to, i64 %j.offset
  store {real} %x, ptr %to.place, align {bytes}
  %c.next = add i64 %c, {width}
  %more = icmp ult i64 %c.next, %size
  br i1 %more, label %column, label %row.done
row.done:
  %k.next = add i64 %k, 1
  %again = icmp ult i64 %k.next, %rows
  br i1 %again, label %row, label %done
done:
  ret void
}}
"""

LOOP = """entry:
  %last = sub i64 %n, {width}
  br label %loop
loop:
  %start = phi i64 [0, %entry], [%next, %loop]
  %inside = icmp ult i64 %start, %last
  %j = select i1 %inside, i64 %start, i64 %last
{body}
  %next = add i64 %start, {width}
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void"""

BLOCKS = """  %buffer = alloca [{bytes} x i8], align 64
  %end = sub i64 %n, {width}
  br label %block
block:
  %begin = phi i64 [0, %enough], [%following, %block]
  %early = icmp ult i64 %begin, %end
  %first = select i1 %early, i64 %begin, i64 %end
  %rest = sub i64 %n, %first
  %whole = icmp ult i64 %rest, {block}
  %size = select i1 %whole, i64 %rest, i64 {block}
{moved}
  call void @core({arguments}, ptr %p, ptr %buffer, i64 %size)
{spread}
  %following = add i64 %begin, {block}
  %remaining = icmp ult i64 %following, %n
  br i1 %remaining, label %block, label %finished
finished:
  ret void"""
