"""Roam markup, case by case: what a block reads as, and what it refers to."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.model import LinkKind
from engine.text import roam
from engine.text.roam_spans import SpanKind, parse

BLOCKS = {
    "bbbbbbbb2": "the target (with parentheses)",
    "tt-9x7k2aa": "embedded text",
    "t3": "short uid",
    "hidden001": "",
}

CLEANED = [
    ("nested pages", "see [[Plan [[Q3]]/draft]]", "see Plan Q3/draft"),
    ("page that opens with a page", "[[[[Gordon]]'s Patterns]]", "Gordon's Patterns"),
    ("page in brackets of its own", "[a [[B]]]", "[a B]"),
    ("brackets in a title", "[[a [b] c]] and [[d [e]]", "a [b] c and d [e"),
    ("empty page", "[[]] x", "[[]] x"),
    ("unclosed page", "[[open and [[A]]", "[[open and A"),
    ("page does not cross lines", "[[a\nb]]", "[[a\nb]]"),
    ("tags", "#čaj, #茶道, Café [[Über uns]]", "čaj, 茶道, Café Über uns"),
    ("tag of several words", "#[[multi word]]", "multi word"),
    ("styled tag", "**#people**", "people"),
    ("colour and CSS tags vanish", "#c:red text #.bg-red #[[.bg-blue]]", "text"),
    ("CSS colours are no tags", "color: #fff; #1a2b3c", "color: #fff; #1a2b3c"),
    ("inline code keeps its markup", "`__main__.py` and a**b", "__main__.py and a**b"),
    ("double ticks", "``a ` b`` c", "a ` b c"),
    ("unclosed tick", "it`s [[A]]", "it`s A"),
    ("fence, closing glued", "```js\nlet a=1;```", "let a=1;"),
    ("fence within a line", "intro: ```py\nx``` tail", "intro: x tail"),
    ("fence keeps indentation", "```plain text\na:\n    [[b]]\n```", "a:\n    [[b]]"),
    ("fence without language", "```a = {{b}}```", "a = {{b}}"),
    ("formula", "$$a_[[b]]__c^^2 #x$$", "a_[[b]]__c^^2 #x"),
    ("formula with a block", "$$x ((bbbbbbbb2))$$", "x the target (with parentheses)"),
    ("arithmetic", "2**3 and 4**5", "2**3 and 4**5"),
    ("snake case", "a_b__c and d__e", "a_b__c and d__e"),
    ("styles", "**b** __i__ ^^h^^ ~~s~~", "b i h s"),
    ("styles in scripts without spaces", "これは**太字**です", "これは太字です"),
    ("lone delimiter", "5 ** 6", "5 ** 6"),
    ("link", "[Mercury](https://ex.org/Mercury_(planet)#orbit) rises", "Mercury rises"),
    ("bare address", "at https://x.org/a__b__c/#/app/x now", "at https://x.org/a__b__c/#/app/x now"),
    ("styled address", "**https://x.org/a**", "https://x.org/a"),
    ("image", "![a cat](https://x.org/o%2Fc?alt=media&token=1)", "a cat"),
    ("image without words", "![](https://x.org/c.png)", ""),
    ("page alias", "[the plan]([[Plan [[Q3]]]]) [t](<[[P]]>)", "the plan t"),
    ("block alias", "[so](((bbbbbbbb2)))", "so"),
    ("block", "as ((bbbbbbbb2)) says", "as the target (with parentheses) says"),
    ("block glued to text", "note((bbbbbbbb2))", "notethe target (with parentheses)"),
    ("dangling block", "((nosuchblk))", "((nosuchblk))"),
    ("parenthetical", "costs ((roughly speaking)) ten", "costs ((roughly speaking)) ten"),
    ("short uid that exists", "a ((t3)) b", "a short uid b"),
    ("withheld block", "a ((hidden001)) b", "a b"),
    ("embed", "{{[[embed]]: ((bbbbbbbb2))}}", "the target (with parentheses)"),
    ("embed without a space", "{{embed:((tt-9x7k2aa))}}", "embedded text"),
    ("embedded path", "{{embed-path: ((tt-9x7k2aa))}}", "embedded text"),
    ("embedded page", "{{[[embed]]: [[Sapiens]]}}", "Sapiens"),
    ("task", "{{[[TODO]]}} do it [->](((bbbbbbbb2)))", "do it ->"),
    ("done task", "{{DONE}}  done", "done"),
    ("query with inner braces", "{{[[query]]: {and: [[A]] {or: [[B]] {not: #c}}}}}", ""),
    ("unknown component", "{{ user.name }} joined", "joined"),
    ("unbalanced component", "{{[[table}}", ""),
    ("unbalanced braces", "{{query: {and: a}", "{{query: {and: a}"),
    ("attribute", "Price:: 3", "Price: 3"),
    ("attribute without a space", "Tags::#people", "Tags: people"),
    ("styled attribute", "**Author::** [[Ann]]", "Author: Ann"),
    ("joined names", "std::vector and foo::bar", "std::vector and foo::bar"),
    ("callout", "[[>]] [[!INFO]] Title\nbody", "Title\nbody"),
    ("quote", "> wise words", "wise words"),
    ("comparison", ">5 is more", ">5 is more"),
    ("rule", "---", ""),
    ("hiccup", ":hiccup [:b [[x]] #y]", ":hiccup [:b [[x]] #y]"),
    ("white space", " a\u00a0\u00a0b \t c \n\n d\u200b ", "a b c\nd"),
    ("only invisible", "\u200b\ufeff", ""),
]


@pytest.mark.parametrize(("string", "expected"), [case[1:] for case in CLEANED], ids=[case[0] for case in CLEANED])
def test_clean(string: str, expected: str) -> None:
    assert roam.clean(string, BLOCKS.get) == expected


REFERRED = [
    ("nested pages, innermost first", "see [[Plan [[Q3]]/draft]]", ["link Q3", "link Plan [[Q3]]/draft"]),
    ("odd brackets", "[[[A]] b](http://x.org)", ["link A", "url http://x.org"]),
    ("code", "`[[A]] #b ((bbbbbbbb2))` and ```\n[[C]] {{embed: ((bbbbbbbb2))}}```", []),
    ("formula", "$$[[a]] #b ((bbbbbbbb2))$$", ["block bbbbbbbb2"]),
    ("hiccup", ":hiccup [:a [[x]]]", []),
    ("tags", "#čaj, #茶道 #a/b x#no (#[[c d]])", ["tag čaj", "tag 茶道", "tag a/b", "tag c d"]),
    ("tag after a colon", "Tags::#people", ["tag people"]),
    ("no tag in an address", "https://x.org/#/app/y and /#/app/x", ["url https://x.org/#/app/y"]),
    ("no tag at a label", "[#x](https://y.org/(z)#t)", ["url https://y.org/(z)#t"]),
    ("address in parentheses", "(see https://x.org/a).", ["url https://x.org/a"]),
    ("page alias", "[t](<[[Page]]>)", ["link Page"]),
    ("block alias", "[t](((bbbbbbbb2)))", ["block bbbbbbbb2"]),
    ("parenthetical", "((roughly)) ((and so on))", []),
    ("known short uid", "((t3))", ["block t3"]),
    (
        "component names",
        "{{[[TODO]]}} {{[[embed]]: [[P]]}} {{[[video]]: https://v.org/1}}",
        ["embed P", "url https://v.org/1"],
    ),
    ("query", "{{[[query]]: {and: [[A]] #b}}}", []),
    ("callout", "[[>]] [[!INFO]] on [[A]]", ["link A"]),
    ("attribute page", "[[Contact]]:: [[Ann]]", ["link Ann"]),
]


@pytest.mark.parametrize(("string", "expected"), [case[1:] for case in REFERRED], ids=[case[0] for case in REFERRED])
def test_references(string: str, expected: list[str]) -> None:
    assert [f"{ref.kind} {ref.target}" for ref in roam.references(string, BLOCKS.__contains__)] == expected


def test_an_alias_carries_its_label() -> None:
    aliased = roam.references("[the **plan**]([[Plan]]) and [so](((bbbbbbbb2)))")
    assert [(ref.kind, ref.label) for ref in aliased] == [(LinkKind.LINK, "the plan"), (LinkKind.BLOCK, "so")]


@pytest.mark.parametrize(
    ("string", "expected"),
    [
        ("[[A [[B]]]] #c #[[d e]] [[A [[B]]]]", ("B", "A [[B]]", "c", "d e")),
        ("{{[[TODO]]}} [[A]] #.bg-red #c:red", ("A",)),
        ("[[>]] [[!INFO]] [[A]]", ("A",)),
        ("text [[TODO]] [[!INFO]] [[>]]", ()),
        ("[[Contact]]:: #x", ("x",)),
        ("((bbbbbbbb2)) https://x.org", ()),
    ],
)
def test_concepts(string: str, expected: tuple[str, ...]) -> None:
    assert roam.concepts(string) == expected


@pytest.mark.parametrize(
    ("string", "name", "value"),
    [
        ("Author:: [[Ann Lee]]", "Author", " [[Ann Lee]]"),
        ("Steps::", "Steps", ""),
        ("Twitter:: @x", "Twitter", " @x"),
        ("see each Tags::#people", "see each Tags", "#people"),
        ("[[Contact]]:: v", "Contact", " v"),
        ("**Author::** Ann", "Author", " Ann"),
        ("Price::3", "Price", "3"),
    ],
)
def test_attribute(string: str, name: str, value: str) -> None:
    found = roam.attribute(string)
    assert found is not None
    assert (found.name, string[found.value_start :]) == (name, value)


@pytest.mark.parametrize(
    "string",
    [
        "call `Ns::fn` twice",
        "```\nkey:: v```",
        "std::vector",
        "first\nKey:: v",
        ":: v",
        "https://x.org/a::b",
        "[x](http://y::z)",
        "[[a::b]]",
    ],
)
def test_no_attribute(string: str) -> None:
    assert roam.attribute(string) is None


@pytest.mark.parametrize(
    "string",
    [
        "a #.rm-hide",
        "#.RM-Private b",
        "[[.rm-hide]]",
        "#[[.rm-private]] c",
        "x#.rm-hide",
        "{{query: #.rm-hide}}",
        "(#.rm-hide)",
    ],
)
def test_private(string: str) -> None:
    assert roam.is_private(string)


@pytest.mark.parametrize("string", ["`#.rm-hide` hides a block", "#.rm-hidden", "rm-hide", "#rm-hide"])
def test_not_private(string: str) -> None:
    assert not roam.is_private(string)


@pytest.mark.parametrize(
    ("string", "expected"),
    [("{{[[TODO]]}} a", "todo"), ("{{TODO}} a", "todo"), ("b {{[[DONE]]}}", "done"), ("`{{TODO}}`", ""), ("TODO", "")],
)
def test_task(string: str, expected: str) -> None:
    assert roam.task(string) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("September 15th, 2020", True),
        ("November 11th, 2021", True),
        ("March 1st, 2024", True),
        ("Sep 15th, 2020", False),
        ("Notes from June 25th, 2021", False),
        ("March 1th, 2024", False),
        ("February 30th, 2021", False),
    ],
)
def test_daily_title(title: str, expected: bool) -> None:
    assert roam.is_daily_title(title) is expected


@pytest.mark.parametrize(
    ("string", "expected"),
    [
        ("{{[[table]]}}", "widget"),
        ("![](https://x.org/i.png)", "image"),
        ("((hidden001))", "reference"),
        ("  ", "empty"),
    ],
)
def test_why_empty(string: str, expected: str) -> None:
    assert roam.clean(string, BLOCKS.get) == ""
    assert roam.why_empty(string) == expected


def test_daily_uid() -> None:
    assert roam.is_daily_uid("09-15-2020")
    assert not roam.is_daily_uid("13-15-2020")


@pytest.mark.parametrize(
    "string",
    [
        "[[" * 50_000 + "x" + "]]" * 50_000,
        "{{" * 50_000 + "x" + "}}" * 50_000,
        "(" * 100_000 + "x" + ")" * 100_000,
        "[a](" * 30_000,
        "[a](" * 10_000 + ")" * 10_000,
        "[ " * 6_000 + "](u)" * 6_000,
        "` `` " * 20_000,
        "#" + " " * 200_000 + "x",
        "**a" * 60_000,
        "a://" * 50_000,
        "[[a]] {{b}} #c " * 5_000,
    ],
    ids=[
        "pages",
        "braces",
        "parentheses",
        "links",
        "destinations",
        "labels",
        "ticks",
        "spaces",
        "styles",
        "addresses",
        "many",
    ],
)
def test_hostile_strings_take_linear_time(string: str) -> None:
    """A quadratic step would need minutes here."""
    assert isinstance(roam.clean(string), str)
    assert isinstance(roam.references(string), tuple)


MARKUP = st.lists(
    st.one_of(
        st.sampled_from(
            ["[[", "]]", "[", "]", "((", "))", "(", ")", "{{", "}}", "`", "```", "$$", "**", "__", "^^", "~~"]
        ),
        st.sampled_from(
            ["#", "::", "\n", " ", "TODO", "embed: ", "https://x.org/a", "bbbbbbbb2", "![", "#c:", "> ", "```py\n"]
        ),
        st.text(max_size=4),
    ),
    max_size=40,
).map("".join)


@settings(max_examples=100, deadline=None)
@given(MARKUP)
def test_any_string_parses_and_offsets_are_valid(string: str) -> None:
    for span in parse(string).spans:
        assert 0 <= span.start <= span.inner[0] <= span.inner[1] <= span.end <= len(string)
    for ref in roam.references(string):
        assert ref.target in string[ref.start : ref.end]
    assert roam.clean(string) == roam.clean(string).strip()


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(["[[", "]]", "**", "__", "^^", "~~", "`", " ", "\n", "#", "(", ")", "[", "]", "> "]),
            st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=5),
        ),
        max_size=30,
    ).map("".join)
)
def test_cleaning_loses_no_letters_outside_links_and_components(string: str) -> None:
    assume(not parse(string).of(SpanKind.LINK, SpanKind.FENCE))
    letters = [c for c in string if c.isalnum()]
    assert [c for c in roam.clean(string) if c.isalnum()] == letters
