"""Groups of four pairs: whole, incomplete, and with links that lead nowhere or are not mutual."""

from __future__ import annotations

from collections import Counter

from whatif.formats.mucr_groups import Links, grouped, natural

WHOLE = {pair: Links(tuple(one for one in ("1", "2", "3", "10") if one != pair)) for pair in ("1", "2", "3", "10")}


def faults(links: dict[str, Links], rejected: tuple[str, ...] = ()) -> dict[str, tuple[str, str]]:
    return {fault.item: (fault.reason, fault.detail) for fault in grouped(links, rejected)[1]}


def test_four_pairs_that_name_each_other_are_a_group() -> None:
    groups, lost = grouped(WHOLE)
    assert (groups, lost) == (dict.fromkeys(WHOLE, "group-1"), [])
    assert sorted(["10", "2", "a1"], key=natural) == ["2", "10", "a1"]


def test_a_group_with_three_members_keeps_together() -> None:
    three = {"5": Links(("6", "7")), "6": Links(("5", "7")), "7": Links(("5", "6"))}
    groups, _ = grouped({**WHOLE, **three})
    assert [groups[pair] for pair in three] == ["broken-5"] * 3
    assert Counter(groups.values())["group-1"] == 4
    assert faults({**WHOLE, **three})["5/group"] == (
        "group without four members",
        "link_id: names 2 others, so the group has 3 members",
    )


def test_a_rejected_pair_and_a_link_to_nowhere() -> None:
    three = {pair: one for pair, one in WHOLE.items() if pair != "10"}
    assert {reason for reason, _ in faults(three, ("10",)).values()} == {"group without four members"}
    assert faults(three)["2/group"] == ("link to nowhere", "link_id: '10' is no pair of the file")
    assert len(faults(three)) == 3


def test_links_that_are_not_mutual() -> None:
    links = {**WHOLE, "4": Links(("1", "2", "3"))}
    groups, _ = grouped(links)
    assert faults(links) == {"4/group": ("links not mutual", "link_id: names 1, whose own links are 2, 3, 10")}
    assert [groups["4"], groups["1"]] == ["broken-4", "group-1"], "the whole group stays whole"


def test_four_pairs_with_faulty_links_are_no_group() -> None:
    links = {"1": ("2", "3", "4"), "2": ("1", "3", "4"), "3": ("1", "2", "4"), "4": ("1", "2", "2")}
    faulty = {pair: Links(others) for pair, others in links.items()}
    groups, _ = grouped(faulty)
    assert set(groups.values()) == {"broken-1"}, "no split separates them"
    assert {item: reason for item, (reason, _) in faults(faulty).items()} == {
        "1/group": "links not mutual",
        "2/group": "links not mutual",
        "3/group": "links not mutual",
        "4/group": "link given twice",
    }
    assert faults({"1": Links(("1", "2", "3"))})["1/group"][0] == "link given twice"


def test_one_link_given_twice_breaks_the_group_of_all_four() -> None:
    links = WHOLE | {"3": Links(("1", "2", "10", "10"))}
    assert {item: reason for item, (reason, _) in faults(links).items()} == {
        "1/group": "links not mutual",
        "10/group": "links not mutual",
        "2/group": "links not mutual",
        "3/group": "link given twice",
    }
    assert set(grouped(links)[0].values()) == {"broken-1"}


def test_groups_by_name() -> None:
    groups, lost = grouped({str(number): Links((), "fire" if number < 5 else "Ice") for number in range(1, 8)})
    assert Counter(groups.values()) == {"group-fire": 4, "broken-ice": 3}
    assert (lost[0].item, lost[0].detail) == ("5/group", "group: 'ice' has 3 members, not 4")


def test_pairs_with_the_ids_of_named_groups() -> None:
    linked = {f"{pair}": Links(tuple(f"{one}" for one in range(1, 5) if one != pair)) for pair in range(1, 5)}
    mixed, _ = grouped({**linked, **{f"{pair}": Links((), "1") for pair in range(5, 9)}})
    assert sorted(Counter(mixed.values()).values()) == [4, 4]


def test_a_pair_without_links() -> None:
    assert faults({"1": Links(())})["1/group"][1] == "link_id: names 0 others, so the group has 1 member"


def test_a_caption_twice_in_a_group() -> None:
    captions = {"1": ("a", "v"), "2": ("b", "w"), "3": ("c", "W"), "10": ("d", "z")}
    links = {pair: Links(one.others, captions=captions[pair]) for pair, one in WHOLE.items()}
    told = ("caption twice in a group", "caption_1: 2 and 3 have the same one: 'W'")
    assert faults(links) == {f"{pair}/group": told for pair in WHOLE}
    assert set(grouped(links)[0].values()) == {"broken-1"}
    named = {pair: Links((), "fire", captions[pair]) for pair in WHOLE}
    assert faults(named) == faults(links)
    assert set(grouped(named)[0].values()) == {"broken-fire"}
    captions["3"] = ("A", "x")
    same_cause = {pair: Links((), "fire", captions[pair]) for pair in WHOLE}
    assert faults(same_cause)["10/group"][1] == "caption_0: 1 and 3 have the same one: 'A'"
