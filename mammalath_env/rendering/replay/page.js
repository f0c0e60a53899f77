"use strict";
(() => {
  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const SVG = "http://www.w3.org/2000/svg";
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("replay-data").textContent);
  const game = {
    number: -1, positions: [], shown: [], places: [], cells: [], buttons: [], numbers: [], marks: [],
  };
  let ply = 0;
  let timer = null;

  function make(parent, name, text) {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  }

  function draw(parent, name, attributes) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    parent.append(element);
    return element;
  }

  // Not the property `disabled`, which would take the focus away from a button in use.
  function disable(id, disabled) {
    byId(id).setAttribute("aria-disabled", String(disabled));
  }

  // The contents of all slots at every ply, from the changes of each.
  function unfold(record) {
    const step = 1 + data.digits;
    let now = new Array(data.layouts[record.layout].slots.length).fill(0);
    return record.changes.map((change) => {
      now = now.slice();
      for (let k = 0; k < change.length; k += step) {
        let content = 0;
        for (let d = 1; d < step; d++) content = content * 64 + DIGITS.indexOf(change[k + d]);
        now[DIGITS.indexOf(change[k])] = content;
      }
      return now;
    });
  }

  function named(record, player) {
    const side = record.sides[player];
    return side[0].toUpperCase() + side.slice(1) + ": " + record.players[player];
  }

  // The tooltip shows the whole of a name that is too long for the page.
  function showName(id, text) {
    byId(id).textContent = text;
    byId(id).title = text;
  }

  function open(number, atPly) {
    const record = data.games[number];
    const layout = data.layouts[record.layout];
    game.number = number;
    game.record = record;
    game.positions = unfold(record);
    game.shown = layout.slots.map(() => 0);
    byId("game").value = String(number);
    disable("previous-game", number === 0);
    disable("next-game", number === data.games.length - 1);
    byId("title").textContent = record.title;
    document.title = record.players.join(" - ") + ", " + record.title;
    showName("result", record.result);
    for (const player of [0, 1]) showName("player-" + player, named(record, player));
    byId("ply").max = String(game.positions.length - 1);

    const board = byId("board");
    board.replaceChildren();
    board.setAttribute("viewBox", "0 0 " + layout.width + " " + layout.height);
    draw(board, "use", { href: "#" + layout.ground });
    game.places = layout.slots.map(([, x, y]) =>
      draw(board, "g", { transform: "translate(" + x + " " + y + ")" }));
    game.marks = [];

    const table = byId("table");
    table.replaceChildren();
    game.cells = [];
    for (const [heading, slots] of layout.rows) {
      const row = make(table, "tr");
      make(row, "th", heading).scope = "row";
      for (const slot of slots) game.cells[slot] = make(row, "td", layout.slots[slot][0]);
    }

    const moves = byId("moves");
    const focused = moves.contains(document.activeElement);
    moves.replaceChildren();
    moves.classList.toggle("with-notes", Boolean(record.notes));
    game.buttons = record.turns.map((turn, k) => {
      const [move, sentence] = data.turns[turn];
      const button = make(make(moves, "li"), "button");
      button.type = "button";
      make(button, "span", k ? k + "." : "").className = "number";
      button.append(k ? data.texts[move] : "start");
      const note = noteOf(record, k);
      if (note && note.blunder) make(button, "span", "??").className = "blunder";
      if (note && note.lost) make(button, "span", "\u2212" + note.lost + "%").className = "lost";
      const spoken = note && note.text ? data.texts[sentence] + ". " + note.text : data.texts[sentence];
      button.setAttribute("aria-label", k ? k + ": " + spoken : "Start position");
      button.addEventListener("click", () => { pause(); go(k); });
      return button;
    });
    openCounts(data.counts[record.counts]);
    openGraph(record);
    go(Math.min(Math.max(atPly, 0), game.positions.length - 1), false);
    if (focused) game.buttons[ply].focus({ preventScroll: true });
  }

  // What an analysis says of the move that led to a ply, null where there is nothing.
  function noteOf(record, k) {
    const note = k && record.notes ? record.notes[k - 1] : null;
    if (!note) return null;
    const [lost, blunder, text, better, marks] = note;
    return {
      lost,
      blunder: blunder === 1,
      text: data.texts[text],
      better: better === undefined ? "" : data.texts[better],
      marks: marks === undefined ? [] : data.marks[marks],
    };
  }

  // The note on the move that led here, and on the board what was better than the next one.
  function showNotes(record) {
    const last = noteOf(record, ply);
    const next = noteOf(record, ply + 1);
    game.marks.forEach((each) => each.remove());
    game.marks = (next ? next.marks : []).map(([symbol, x, y]) =>
      draw(byId("board"), "use", { href: "#" + data.symbols[symbol], x, y, class: "mark" }));
    const sentences = [];
    if (last && last.text) sentences.push(last.text + ".");
    if (next && next.better) sentences.push("Better than the next move: " + next.better + ".");
    byId("note").hidden = !record.notes;
    byId("note").textContent = sentences.join(" ");
    return sentences.map((sentence) => " " + sentence).join("");
  }

  function openCounts(counts) {
    byId("left").hidden = counts.length === 0;
    byId("counts").replaceChildren();
    game.numbers = counts.map(([name]) => make(make(byId("counts"), "li", name + " "), "b"));
  }

  // Labels of all that is on the board at this ply, each as often as it is there.
  function showCounts(counts) {
    const labels = game.positions[ply].flatMap((content) => data.labels[content].split(", "));
    counts.forEach(([, label, total], k) => {
      const number = labels.filter((each) => each === label).length;
      game.numbers[k].textContent = String(total === null ? number : total - number);
    });
  }

  function openGraph(record) {
    const values = record.evaluations;
    byId("evaluation").hidden = !values || values.every((value) => value === null);
    const graph = byId("graph");
    graph.replaceChildren();
    if (byId("evaluation").hidden) return;
    let line = "";
    let pen = "M";
    values.forEach((value, k) => {
      // If only one player gives evaluations, the line skips the plies of the other.
      if (value === null) return;
      line += pen + across(k) + " " + (40 - 36 * Math.max(-1, Math.min(1, value)));
      // A single point is drawn as a short line.
      if (pen === "M") line += "h.5";
      pen = "L";
    });
    draw(graph, "line", { class: "zero", x1: 0, x2: 300, y1: 40, y2: 40 });
    draw(graph, "path", { d: line });
    // A line without length has round ends, whatever the graph is stretched to.
    values.forEach((value, k) => {
      const after = k + 1 < values.length ? values[k + 1] : value;
      const note = noteOf(record, k + 1);
      if (after === null || !note || !note.blunder) return;
      const place = "M" + across(k + 1) + " " + (40 - 36 * after) + "h0";
      draw(graph, "path", { d: place, class: "blunder" });
    });
    game.now = draw(graph, "line", { class: "now", y1: 0, y2: 80 });
  }

  const across = (k) => 4 + (292 * k) / Math.max(1, game.positions.length - 1);

  function go(target, announce = true) {
    ply = Math.min(Math.max(target, 0), game.positions.length - 1);
    const record = game.record;
    const layout = data.layouts[record.layout];
    const end = game.positions.length - 1;
    game.positions[ply].forEach((content, slot) => {
      if (content === game.shown[slot]) return;
      const uses = data.contents[content].map((symbol) => {
        const element = document.createElementNS(SVG, "use");
        element.setAttribute("href", "#" + data.symbols[symbol]);
        return element;
      });
      game.places[slot].replaceChildren(...uses);
      const name = layout.slots[slot][0];
      const label = data.labels[content];
      game.cells[slot].textContent = label ? name + ": " + label : name;
    });
    game.shown = game.positions[ply];

    const [, sentence, status] = data.turns[record.turns[ply]].map((text) => data.texts[text]);
    const words = (sentence ? sentence + ". " : "") + status + ".";
    byId("status").textContent = words;
    const notes = showNotes(record);
    if (announce) byId("live").textContent = "Ply " + ply + ". " + words + notes;
    const bar = byId("ply");
    bar.value = String(ply);
    bar.setAttribute("aria-valuetext", "Ply " + ply + " of " + end);
    for (const [id, at] of [["first", 0], ["back", 0], ["forth", end], ["last", end]]) {
      disable(id, ply === at);
    }
    for (const player of [0, 1]) {
      byId("player-" + player).classList.toggle("to-move", record.movers[ply] === String(player));
    }
    const old = byId("moves").querySelector("[aria-current]");
    if (old) old.removeAttribute("aria-current");
    const button = game.buttons[ply];
    button.setAttribute("aria-current", "step");
    // Scroll the list and nothing around it.
    const list = byId("moves");
    const top = button.parentElement.offsetTop;
    if (top < list.scrollTop || top + button.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = top - list.clientHeight / 2;
    }
    showCounts(data.counts[record.counts]);
    if (!byId("evaluation").hidden) showEvaluation(record);
    if (ply === end) pause();
    showPlace("#game=" + (game.number + 1) + "&ply=" + ply);
  }

  function showPlace(place) {
    if (location.hash === place) return;
    // Some browsers refuse this in frames, or when it is called too often.
    try { history.replaceState(null, "", place); } catch { return; }
  }

  function showEvaluation(record) {
    game.now.setAttribute("x1", across(ply));
    game.now.setAttribute("x2", across(ply));
    const value = record.evaluations[ply];
    const known = value !== null && value !== undefined;
    const shown = record.notes ? Math.round(50 * (1 + value)) + "%"
      : (value > 0 ? "+" : "") + Number(value).toFixed(2);
    byId("evaluation-text").textContent =
      (record.notes ? "Win probability of " + record.sides[0] + ": "
        : "Evaluation for " + record.sides[0] + ", -1 to 1: ") +
      (known ? shown : "none at this ply");
  }

  function pause() {
    if (timer === null) return;
    clearInterval(timer);
    timer = null;
    showPlaying(false);
  }

  function play() {
    if (ply === game.positions.length - 1) go(0);
    if (game.positions.length === 1) return;
    timer = setInterval(() => go(ply + 1), Number(byId("speed").value));
    showPlaying(true);
  }

  function showPlaying(playing) {
    byId("play").classList.toggle("playing", playing);
    const action = playing ? "Pause" : "Play";
    byId("play").setAttribute("aria-label", action);
    byId("play").title = action + " (space)";
  }

  const toggle = () => (timer === null ? play() : pause());
  const step = (target) => { pause(); go(target); };

  function other(number) {
    if (number < 0 || number >= data.games.length) return;
    pause();
    open(number, 0);
    byId("live").textContent = "Game " + (number + 1) + ". " + byId("status").textContent;
  }

  function openFromHash() {
    const found = /^#game=(\d+)(?:&ply=(\d+))?$/.exec(location.hash);
    const number = found ? Number(found[1]) - 1 : 0;
    const known = number >= 0 && number < data.games.length;
    pause();
    open(known ? number : 0, known && found && found[2] ? Number(found[2]) : 0);
  }

  data.games.forEach((record, k) => {
    const label = k + 1 + ". " + record.title + ": " + record.players.join(" - ") + ", " + record.result;
    make(byId("game"), "option", label).value = String(k);
  });
  byId("game").addEventListener("change", (event) => other(Number(event.target.value)));
  byId("previous-game").addEventListener("click", () => other(game.number - 1));
  byId("next-game").addEventListener("click", () => other(game.number + 1));
  byId("first").addEventListener("click", () => step(0));
  byId("back").addEventListener("click", () => step(ply - 1));
  byId("forth").addEventListener("click", () => step(ply + 1));
  byId("last").addEventListener("click", () => step(game.positions.length - 1));
  byId("play").addEventListener("click", toggle);
  byId("ply").addEventListener("input", (event) => step(Number(event.target.value)));
  byId("speed").addEventListener("change", () => { if (timer !== null) { pause(); play(); } });
  byId("graph").addEventListener("click", (event) => {
    const room = byId("graph").getBoundingClientRect();
    const share = ((event.clientX - room.left) / room.width * 300 - 4) / 292;
    step(Math.round(share * (game.positions.length - 1)));
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    // Select boxes keep all their keys, buttons the space bar. The slider of plies keeps the keys
    // that are not used here.
    const tag = event.target.tagName;
    if (tag === "SELECT") return;
    if (event.key === " " && (tag === "BUTTON" || tag === "SUMMARY")) return;
    const actions = {
      ArrowLeft: () => step(ply - 1),
      ArrowRight: () => step(ply + 1),
      Home: () => step(0),
      End: () => step(game.positions.length - 1),
      " ": toggle,
      n: () => other(game.number + 1),
      p: () => other(game.number - 1),
    };
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]();
  });

  function setTheme(dark) {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    const other = dark ? "Light" : "Dark";
    byId("theme").textContent = other;
    byId("theme").title = "Change to " + other.toLowerCase() + " colours";
  }
  const preferred = matchMedia("(prefers-color-scheme: dark)");
  setTheme(preferred.matches);
  preferred.addEventListener("change", () => setTheme(preferred.matches));
  byId("theme").addEventListener("click", () => {
    setTheme(document.documentElement.dataset.theme !== "dark");
  });
  window.addEventListener("hashchange", openFromHash);
  openFromHash();
})();
