"use strict";
// The state of the item browser as part of an address, and which items match it. Nothing here touches the page.
(() => {
  const KEYS = ["q", "group", "view", "system", "original", "counterfactual", "answers", "other", "all", "page", "item",
    "difference"];
  const FILTERS = KEYS.slice(0, 9);
  // The key of the state, by side, that says which answers of the system are wanted.
  const SIDE_KEYS = { original: "original", counterfactual: "counterfactual", "": "answers" };
  // Codes of answers, as item_index.py has them, by status.
  const STATUSES = { right: "r", "not-right": "wne", wrong: "w", none: "n", error: "e", "not-asked": "-" };
  const OVER_ALL = ["all", "none", "some"];
  const RIGHT = "r".charCodeAt(0);
  const NOT_ASKED = "-".charCodeAt(0);

  const encoder = new TextEncoder();

  /** What data/index.js says of all items, with what is looked up by name. */
  function prepare(data) {
    const index = { ...data };
    index.system = new Map(data.systems.map((name, number) => [name, number]));
    index.group = new Map(data.groups.map((name, number) => [name, number]));
    index.view = new Map(data.views.map((view, number) => [view.name, { ...view, number }]));
    return index;
  }

  /** The state in a hash such as `#system=a&original=right`; names that are not in the index are left out and told. */
  function parse(hash, index) {
    const given = new URLSearchParams(hash.replace(/^#/, ""));
    const state = {};
    const unknown = [];
    const known = {
      group: (value) => index.group.has(value),
      view: (value) => index.view.has(value),
      system: (value) => index.system.has(value),
      other: (value) => index.system.has(value),
      original: (value) => value in STATUSES,
      counterfactual: (value) => value in STATUSES,
      answers: (value) => value in STATUSES,
      all: (value) => OVER_ALL.includes(value),
      page: (value) => /^[1-9]\d{0,8}$/.test(value),
      difference: (value) => value === "shown",
    };
    for (const key of KEYS) {
      const value = given.get(key) || "";
      const accepted = !value || !known[key] || known[key](value);
      // A group may have an empty name, which is the same as any group.
      state[key] = accepted ? value : "";
      if (!accepted) unknown.push(`${key} “${value}”`);
    }
    return { state, unknown };
  }

  /** The hash of a state, always the same for the same state. */
  function format(state) {
    const set = new URLSearchParams();
    for (const key of KEYS) if (state[key] && !(key === "page" && state[key] === "1")) set.set(key, state[key]);
    return `#${set}`;
  }

  const filtersOf = (state) => JSON.stringify(FILTERS.map((key) => state[key]));
  const isFiltered = (state) => FILTERS.some((key) => state[key]);

  /** Lower case without accents, with single spaces: what `normalised` in item_index.py does to the texts. */
  function normalised(text) {
    return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
  }

  /** The words and "quoted phrases" that a text must contain. */
  function terms(query) {
    return [...normalised(query).matchAll(/"([^"]*)"?|[^\s"]+/g)].map((match) => (match[1] ?? match[0]).trim()).filter(Boolean);
  }

  const accepts = (status) => {
    const table = new Uint8Array(128);
    for (const code of STATUSES[status]) table[code.charCodeAt(0)] = 1;
    return table;
  };

  const sidesWanted = (state) => Object.entries(SIDE_KEYS).filter(([, key]) => state[key]);
  /** The columns that the filters of a state read (see item_index.py); each has one file for each shard. */
  function columnsOf(index, state) {
    const names = state.system ? [sidesWanted(state).length || state.other ? state.system : "", state.other] : [];
    const ofAll = state.all || (!state.system && sidesWanted(state).length);
    return [...(state.group ? ["group"] : []), ...(ofAll ? ["answers"] : []),
      ...names.filter(Boolean).map((name) => `codes-${index.system.get(name)}`)];
  }

  /** Whether one system has the wanted answers; `given` is the text of an item as `over_all` in item_index.py. */
  function someSystem(index, wanted, given) {
    const [asked, ...found] = given.split(" ");
    if (Number(asked) < index.systems.length) found.push("---");
    const places = Object.keys(SIDE_KEYS);
    return found.some((codes) => wanted.every(([side, accepted]) => accepted[codes.charCodeAt(places.indexOf(side))]));
  }

  /** Whether `all` systems, `none` or `some` are right on every question of an item; empty if none was asked. */
  function overAll(given) {
    const found = given.split(" ").slice(1);
    const right = found.filter((codes) => /^[r-]*$/.test(codes)).length;
    if (!found.length) return "";
    return right === 0 ? "none" : right === found.length ? "all" : "some";
  }

  /**
   * Positions of the items of a shard that match all filters but the search, in order. `columns` has the data of
   * `columnsOf` by name; `inView` has the positions of the view's items, if one is chosen.
   */
  function matching(index, state, shard, columns, inView) {
    const start = shard * index.perColumn;
    const count = Math.min(index.perColumn, index.count - start);
    const keep = new Uint8Array(count).fill(1);
    const codes = (system, side) => {
      const text = columns[`codes-${index.system.get(system)}`][side];
      return text ? encoder.encode(text) : new Uint8Array(count).fill(NOT_ASKED);
    };
    if (state.view) {
      const shown = new Uint8Array(count);
      for (const position of inView) if (position >= start && position < start + count) shown[position - start] = 1;
      for (let place = 0; place < count; place += 1) keep[place] &= shown[place];
    }
    if (state.group) {
      const group = index.group.get(state.group);
      for (let place = 0; place < count; place += 1) if (columns.group[place] !== group) keep[place] = 0;
    }
    const wanted = sidesWanted(state).map(([side, key]) => [side, accepts(state[key])]);
    const [texts, given] = columns.answers || [[], []];
    const ofTexts = (test) => {
      const accepted = texts.map((text) => Number(test(text)));
      for (let place = 0; place < count; place += 1) keep[place] &= accepted[given[place]];
    };
    if (state.all) ofTexts((text) => overAll(text) === state.all);
    if (wanted.length && !state.system) ofTexts((text) => someSystem(index, wanted, text));
    else {
      for (const [side, accepted] of wanted) {
        const found = codes(state.system, side);
        for (let place = 0; place < count; place += 1) keep[place] &= accepted[found[place]];
      }
    }
    if (state.system && state.other) {
      const any = new Uint8Array(count);
      for (const side of index.sides) {
        const [one, two] = [state.system, state.other].map((name) => codes(name, side));
        for (let place = 0; place < count; place += 1) {
          if (one[place] !== NOT_ASKED && two[place] !== NOT_ASKED) any[place] |= (one[place] === RIGHT) !== (two[place] === RIGHT);
        }
      }
      for (let place = 0; place < count; place += 1) keep[place] &= any[place];
    }
    const found = [];
    for (let place = 0; place < count; place += 1) if (keep[place]) found.push(start + place);
    return found;
  }

  /** The number that `ids` shards are ordered by: the CRC-32 of an id. */
  function hashOf(id) {
    let crc = ~0;
    for (const byte of encoder.encode(id)) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc >>> 0;
  }

  self.whatif = { ...self.whatif, FILTERS, SIDE_KEYS, columnsOf, filtersOf, format, hashOf, isFiltered, matching, parse,
    prepare, terms };
})();
