// Checks an exported tournament by its signed log, as far as a browser can; `arena verify` checks all of it.
const encoder = new TextEncoder();
const SEED = "kingmaker-arena", MOST_PROBLEMS = 20, SEAL_BYTES = 32, SEED_BITS = 53n, MOST_SHARED = 8;

const hexOf = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const sha256 = async (data) => hexOf(await crypto.subtle.digest("SHA-256", typeof data === "string" ? encoder.encode(data) : data));
const same = (one, other) => canonical(one) === canonical(other);

// The one spelling of a JSON value that the arena hashes: sorted keys, no spaces, ASCII.
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") {
    const escape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return JSON.stringify(value ?? null).replace(/[\u007f-\uffff]/g, escape);
  }
  return `{${Object.keys(value).sort().map((key) => `${canonical(key)}:${canonical(value[key])}`).join(",")}}`;
}

// The tables of a file by their names, after a look at the hash of every line. Throws a problem.
async function readFile(text) {
  const tables = new Map();
  let link = SEED, count = 0;
  for (const line of text.split("\n").slice(0, -1)) {
    count += 1;
    const at = line.indexOf(" ");
    const json = line.slice(at + 1);
    link = await sha256(`${link} ${json}`);
    if (line.slice(0, at) !== link) throw { problem: "line", line: count };
    const [kind, data] = JSON.parse(json);
    if (kind === "end") {
      if (data !== count - 1 || !text.endsWith(`${line}\n`)) throw { problem: "cut" };
      return { tables: (kind) => tables.get(kind) ?? [], count, header: tables.get("tournament-export")?.[0] };
    }
    if (!tables.has(kind)) tables.set(kind, []);
    tables.get(kind).push(data);
  }
  throw { problem: "cut" };
}

// The key of the commitment, or null where this browser knows no Ed25519.
async function keyOf(entry) {
  try {
    return await crypto.subtle.importKey("raw", bytesOf(entry.public_key), { name: "Ed25519" }, false, ["verify"]);
  } catch (error) {
    if (error.name === "NotSupportedError") return null;
    throw error;
  }
}

// What is derived from the secret: the first 53 bits of its HMAC over the labels.
async function seedsOf(secret) {
  const key = await crypto.subtle.importKey("raw", bytesOf(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (...labels) => {
    const hash = new DataView(await crypto.subtle.sign("HMAC", key, encoder.encode(labels.join("/"))));
    return Number(hash.getBigUint64(0) >> (64n - SEED_BITS));
  };
}

async function unpackReplay(stored) {
  const bytes = Uint8Array.from(atob(stored), (letter) => letter.charCodeAt(0));
  const packed = bytes.subarray(0, -SEAL_BYTES);
  if ((await sha256(packed)) !== hexOf(bytes.subarray(-SEAL_BYTES))) return null;
  const text = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  return { text, document: JSON.parse(text) };
}

// The record digest of a replay; null if this browser writes its numbers otherwise than the arena does.
async function recordDigest({ text, document }) {
  if (canonical(document) !== text) return null;
  const { entries, chance, result, times, links, game_digest, record_digest, ...head } = document;
  let link = await sha256(canonical(head));
  for (const entry of entries) link = await sha256(joined(link, canonical(entry)));
  const ending = times === undefined ? { chance, result } : { chance, result, times };
  return sha256(joined(link, canonical(ending)));
}

function joined(link, text) {
  const before = bytesOf(link), after = encoder.encode(text), all = new Uint8Array(before.length + after.length);
  all.set(before);
  all.set(after, before.length);
  return all;
}

class Proof {
  constructor(text) {
    this.text = text;
    this.log = [];
    this.cannot = new Set();
  }

  async file() {
    this.read = await readFile(this.text);
    this.tournament = this.read.tables("tournament")[0];
    return { count: this.read.count, problems: [] };
  }

  async signatures() {
    const rows = this.read.tables("proof_entry").toSorted((one, other) => one.number - other.number);
    if (!rows.length) return { count: 0, problems: [{ problem: "none" }] };
    let previous = "", key;
    for (const [place, row] of rows.entries()) {
      const entry = JSON.parse(row.text);
      if (entry.number !== place || entry.previous !== previous || entry.tournament !== this.tournament.id)
        return { count: place, problems: [{ problem: "gap", entry: place }] };
      key ??= await keyOf(entry);
      if (key === null) this.cannot.add("ed25519");
      else if (!(await crypto.subtle.verify("Ed25519", key, bytesOf(row.signature), encoder.encode(row.text))))
        return { count: place, problems: [{ problem: "forged", entry: place }] };
      this.log.push(entry);
      previous = await sha256(row.text);
      if (!place) this.commitment = previous;
    }
    this.first = this.log[0];
    this.closing = this.log.at(-1);
    this.waves = this.log.flatMap((entry) => entry.waves ?? []);
    this.results = this.log.flatMap((entry) => (entry.results ?? []).map((one) => ({ ...one, entry: entry.number })));
    return { count: rows.length, problems: this.closing.kind === "closing" ? [] : [{ problem: "unclosed" }] };
  }

  async terms() {
    const { settings, format, rated, rates_same_owner, seeded } = this.tournament;
    const { seed, ...others } = settings;
    const pool = this.read.tables("pool")[0], versions = this.byId("version"), bots = this.byId("bot");
    const entrants = this.read.tables("entrant").toSorted((one, other) => one.position - other.position);
    const named = entrants.map(({ version_id }) => [bots.get(versions.get(version_id).bot_id).name, versions.get(version_id).content_hash]);
    const fits =
      same(this.first.plays, { settings: others, format, rated, rates_same_owner, seeded }) &&
      Object.entries(this.first.pool).every(([name, value]) => same(pool[name], value)) &&
      same(this.first.entrants, named.slice(0, this.first.entrants.length));
    return { count: 1, problems: fits ? [] : [{ problem: "terms" }] };
  }

  async secret() {
    const { secret } = this.tournament;
    const fits = (await sha256(bytesOf(secret))) === this.first.secret && secret === this.closing.secret;
    return { count: 1, problems: fits ? [] : [{ problem: "secret" }] };
  }

  async complete() {
    const total = this.waves.reduce((sum, wave) => sum + wave.matches, 0), problems = [];
    const signed = new Map(), there = new Map(), isVoid = new Set(this.closing.void);
    for (const one of this.results) {
      if (signed.has(one.position)) problems.push({ problem: "twice", match: one.match });
      else signed.set(one.position, one);
    }
    for (const row of this.read.tables("match")) {
      if (there.has(row.position) || row.position >= total) problems.push({ problem: "extra", match: row.id });
      else there.set(row.position, row);
    }
    for (let place = 0; place < total; place += 1) {
      const row = there.get(place), one = signed.get(place);
      if (!row) problems.push({ problem: "missing", match: one?.match ?? place });
      else if (one ? one.match !== row.id || row.state !== "finished" : row.state !== "void" || !isVoid.has(place))
        problems.push({ problem: "unsigned", match: row.id });
    }
    return { count: total, problems };
  }

  async schedule() {
    const versions = this.byId("version"), blocks = this.byId("block"), seats = this.seats(), problems = [];
    const matches = this.read.tables("match").toSorted((one, other) => one.position - other.position);
    let start = 0;
    for (const wave of this.waves) {
      const lines = matches.slice(start, (start += wave.matches)).map((match) => {
        const who = (seats.get(match.id) ?? []).map((seat) => versions.get(seat.version_id).content_hash);
        return `${blocks.get(match.block_id).index} ${match.rotation} ${who.join(" ")}\n`;
      });
      if ((await sha256(lines.join(""))) !== wave.digest) problems.push({ problem: "wave", wave: wave.index });
    }
    return { count: this.waves.length, problems };
  }

  async signed() {
    const matches = this.byId("match"), seats = this.seats(), problems = [];
    for (const one of this.results) {
      const row = matches.get(one.match), own = seats.get(one.match) ?? [];
      const gone = own.filter((seat) => seat.forfeit !== null).toSorted((left, right) => left.forfeit - right.forfeit);
      const found = [own.map((seat) => seat.rank), gone.map((seat) => seat.seat), row.rated, row.game_digest, row.record_digest];
      if (!same(found, [one.ranks, one.forfeits, one.rated, one.game, one.record])) problems.push({ problem: "result", match: one.match });
    }
    return { count: this.results.length, problems };
  }

  async chances() {
    const seed = await seedsOf(this.tournament.secret), blocks = this.read.tables("block");
    let problems = [];
    // Some formats have successive blocks share a seed.
    for (this.shared = 1; this.shared <= MOST_SHARED; this.shared += 1) {
      const wrong = [];
      for (const block of blocks)
        if ((await seed("chance", Math.floor(block.index / this.shared))) !== block.chance_seed)
          wrong.push({ problem: "chance", block: block.index });
      if (this.shared === 1 || !wrong.length) problems = wrong;
      if (!wrong.length) break;
    }
    return { count: blocks.length, problems };
  }

  async replays() {
    const matches = this.byId("match"), blocks = this.byId("block"), seed = await seedsOf(this.tournament.secret);
    const isRemote = this.read.tables("pool")[0].remote, problems = [], rows = this.read.tables("replay");
    for (const row of rows) {
      const match = matches.get(row.match_id), { index, chance_seed, opening } = blocks.get(match.block_id);
      const replay = await unpackReplay(row.data);
      const wrong = { problem: "replay", match: row.match_id };
      if (replay === null) {
        problems.push(wrong);
        continue;
      }
      const { document } = replay, number = Math.floor(index / this.shared);
      const chance = isRemote ? await seed("chance", index, match.rotation) : chance_seed;
      const own = await Promise.all(document.seats.map((_, seat) => seed("bot", number, match.rotation, seat)));
      const digest = this.read.header.public && document.result.faults.length ? undefined : await recordDigest(replay);
      if (digest === null || digest === undefined) this.cannot.add("digest");
      const fits =
        document.match_id === row.match_id && document.chance_seed === chance && same(document.opening, opening) &&
        same(document.seats.map((seat) => seat.seed), own) && document.record_digest === match.record_digest &&
        (digest ?? match.record_digest) === match.record_digest;
      if (!fits) problems.push(wrong);
    }
    return { count: rows.length, problems };
  }

  byId(table) {
    return new Map(this.read.tables(table).map((row) => [row.id, row]));
  }

  seats() {
    const found = new Map();
    for (const row of this.read.tables("match_seat")) found.set(row.match_id, [...(found.get(row.match_id) ?? []), row]);
    for (const rows of found.values()) rows.sort((one, other) => one.seat - other.seat);
    return found;
  }
}

const PARTS = ["file", "signatures", "terms", "secret", "complete", "schedule", "signed", "chances", "replays"];

// Yields every part with what was found; a part is null if one before it failed.
export async function* checks(proof) {
  let holds = true;
  for (const part of PARTS) {
    let found = null;
    if (holds) {
      try {
        found = await proof[part]();
      } catch (error) {
        found = { count: 0, problems: [error.problem ? error : { problem: "odd" }] };
      }
      holds = !found.problems.length;
    }
    yield { part, found };
  }
}

const form = document.querySelector("form[data-proof]");
if (form) {
  const texts = JSON.parse(form.dataset.texts), list = document.querySelector("[data-part=checks]");
  const verdict = document.querySelector("[data-part=verdict]"), about = document.querySelector("[data-part=about]");
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");

  const line = (state, text) => {
    const item = document.createElement("li"), tag = document.createElement("span");
    tag.className = `tag ${{ ok: "good", failed: "bad" }[state] ?? ""}`;
    tag.textContent = texts[state];
    item.append(tag, ` ${text}`);
    item.dataset.state = state;
    list.append(item);
  };

  const check = async (text) => {
    list.replaceChildren();
    about.textContent = verdict.textContent = "";
    verdict.removeAttribute("data-ready");
    // Browsers give it to pages that came safely: by https, or from this machine.
    if (!crypto.subtle) {
      verdict.textContent = texts.no_crypto;
      return;
    }
    const proof = new Proof(text);
    let holds = true;
    for await (const { part, found } of checks(proof)) {
      const named = filled(texts[`part_${part}`], { count: found?.count ?? 0 });
      if (found === null) line("skipped", named);
      else if (!found.problems.length) line("ok", named);
      for (const one of found?.problems.slice(0, MOST_PROBLEMS) ?? [])
        line("failed", `${named}: ${filled(texts[`problem_${one.problem}`], one)}`);
      holds &&= found !== null && !found.problems.length;
    }
    for (const what of proof.cannot) line("skipped", texts[`cannot_${what}`]);
    if (proof.commitment) about.textContent = filled(texts.about, { commitment: proof.commitment, key: proof.log[0]?.public_key });
    verdict.textContent = holds ? texts.holds : texts.fails;
    verdict.dataset.ready = "";
  };

  const input = form.querySelector("input[type=file]");
  input.addEventListener("change", async () => input.files[0] && check(await input.files[0].text()));
  form.addEventListener("submit", (event) => event.preventDefault());
  const over = (event, isOver) => {
    event.preventDefault();
    form.classList.toggle("over", isOver);
  };
  form.addEventListener("dragover", (event) => over(event, true));
  form.addEventListener("dragleave", (event) => over(event, false));
  form.addEventListener("drop", async (event) => {
    over(event, false);
    const [file] = event.dataTransfer.files;
    if (file) await check(await file.text());
  });
  const button = form.querySelector("[data-fetches]");
  button?.addEventListener("click", async () => {
    button.disabled = true;
    const answer = await fetch(button.dataset.fetches);
    if (answer.ok) await check(await answer.text());
    else verdict.textContent = texts.unfetched;
    button.disabled = false;
  });
}
