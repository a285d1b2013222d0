"""A page of HTML, read strictly."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """Every tag with its attributes, and the text of the page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.words = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Keep a tag, and that it is open."""
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "img", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        """Keep a tag that closes itself."""
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        """Check that it closes what was opened last."""
        assert self.open.pop() == tag

    def handle_data(self, data):
        """Keep the text."""
        self.words.append(data)
