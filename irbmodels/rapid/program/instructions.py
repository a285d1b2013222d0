"""ABB's instructions without motion (3HAC16581-1, chapter 1): signals, waits, files, interrupts."""

from __future__ import annotations

import re

_POINT, _JOINTS, _CIRCLE = ("ToPoint",), ("ToJointPos",), ("CirPoint", "ToPoint")
_END = ("Speed", "Zone", "Tool")
_SIGNAL = ("Signal", "Value")
MOVES: dict[str, tuple[str, ...]] = {
    **{
        f"{word}{letter}{more}": (*points, "Speed", *between, "Zone", "Tool", *after)
        for letter, points in (("l", _POINT), ("j", _POINT), ("c", _CIRCLE))
        for word, more, between, after in (
            ("move", "", (), ()),
            ("move", "do", (), _SIGNAL),
            ("move", "ao", (), _SIGNAL),
            ("move", "go", (), _SIGNAL),
            ("move", "sync", (), ("ProcName",)),
            ("trigg", "", ("Trigg_1",), ()),
        )
    },
    **{f"trigg{letter}ios": (*_POINT, *_END) for letter in "lj"},
    **{
        f"arc{letter}{more}": (*points, "Speed", "Seam", "Weld", "Zone", "Tool")
        for letter, points in (("l", _POINT), ("c", _CIRCLE))
        for more in ("", "start", "end")
    },
    "moveabsj": (*_JOINTS, *_END),
    "triggabsj": (*_JOINTS, "Speed", "Trigg_1", "Zone", "Tool"),
    "searchl": ("Signal", "SearchPoint", *_POINT, "Speed", "Tool"),
    "searchc": ("Signal", "SearchPoint", *_CIRCLE, "Speed", "Tool"),
}
"""Instructions that move the robot to a target, in lower case, with their required arguments.

ABB 3HAC16581-1 and 3HAC050988-001 (arc welding). ``MoveLDO p,v,z,tool,do1,1;`` goes as ``MoveL``.
"""
SEARCHED = "it goes to its target at most; where the signal stops it depends on the run"
"""What a search does: the whole way is driven here."""
MOTION = re.compile(
    r"Move(L|J|C|AbsJ)|(Move(L|J|C)(AO|DO|GO|Sync)|MovePnP|Trigg(L|J|C|AbsJ)(IOs)?|Search(L|C|ExtJ)|Arc(L|C|J)\w*"
    r"|(Spot|Nut|Paint|Disp|Cap|Calib|Force|FC|Laser|Cut)(L|J|C|AbsJ)\w*|EGM(Move|Run)\w+|Ind[ACDR]Move)",
    re.IGNORECASE,
)
"""Instructions that move the robot."""
NON_MOTION = frozenset(
    re.findall(
        r"\w+",
        """
    add aliasio aliasioreset bitclear bitset bookerrno break clear cleariobuff clearpath
    clearrawbytes clkreset clkstart clkstop close closedir copyfile copyrawbytes decr dropsensor
    dropwobj erasemodule errlog errraise errwrite freconfinputs getdataval getdatavaldef
    getsysdata gettrapdata idelete idisable ienable ierror incr iobusstart iobusstate iodisable
    ioenable ipers irmqmessage isignalai isignalao isignaldi isignaldo isignalgi isignalgo
    isleep itimer ivarvalue iwatch load makedir manloadidproc open opendir packdnheader
    packrawbytes procerrrecovery prxactivandstorerecord pulsedo readanybin readblock readcfgdata
    readerrdata readrawbytes removefile renamefile reset resetretrycount rewind rmqemptyqueue
    rmqfindslot rmqgetmessage rmqgetmsgdata rmqgetmsgheader rmqreadwait rmqsendmessage
    rmqsendwait save scwrite set setalldataval setao setdatasearch setdataval setdo setgo
    setsysdatatext skipwarn socketaccept socketbind socketclose socketconnect socketcreate
    socketlisten socketreceive socketreceivefrom socketsend socketsendto spystart spystop
    startload stop storepath systemstopaction textabinstall textload texttabinstall tperase
    tpreaddnum tpreadfk tpreadnum tpshow tpwrite triggcheckio triggdatacopy triggdatareset
    triggequip trigginit triggint triggio triggrampao triggspeed triggstopproc tryint uimsgbox
    uimsgwrite uimsgwriteabort uishow unload unpackrawbytes verifyload waitload waittestandset
    warmstart write writeanybin writebin writeblock writecfgdata writerawbytes writestrbin
    writevar wzboxdef wzcyldef wzdisable wzdosset wzenable wzfree wzhomejointdef wzlimjointdef
    wzlimsup wzsphdef
    """,
    )
)
"""Names in lower case. None of them moves the robot; :data:`.EFFECTS` has those that wait.

``rapid-for-vim`` 2.3.0 (see :mod:`..options`) lists them, but for ten that are assumed: errraise
freconfinputs getdatavaldef setsysdatatext textabinstall textload trigginit verifyload wzdosset, and
``stop``, which it lists among jumps.
"""

WRITING = frozenset(
    re.findall(
        r"\w+",
        """
    bitclear bitset bookerrno clearrawbytes clkreset copyrawbytes getdataval getdatavaldef
    getsysdata gettrapdata iobusstate load open opendir packrawbytes readanybin readblock
    readcfgdata readerrdata readrawbytes rmqfindslot rmqgetmessage rmqgetmsgdata rmqgetmsgheader
    rmqreadwait rmqsendwait setdataval socketaccept socketreceive socketreceivefrom startload
    tpreaddnum tpreadfk tpreadnum triggcheckio triggdatacopy tryint uimsgbox uishow
    unpackrawbytes verifyload waittestandset waitload
    """,
    )
)
"""Those that may write to their arguments."""
