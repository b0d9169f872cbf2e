// A team for Blocks World for Teams as the team editor changes it, and as TOML.

/** @typedef {{ value: number, enabled: boolean }} Setting */
/** @typedef {{ file: string, reference: string }} AgentFile */

/**
 * @typedef {object} Bots
 * @property {string} name
 * @property {number} amount
 * @property {"bot" | "human"} type
 * @property {Setting} size
 * @property {Setting} speed
 * @property {Setting} grippers
 * @property {{ capacity: number, enabled: boolean, use?: number }} battery
 * @property {boolean} colorBlind
 * @property {AgentFile} agent
 */

/**
 * @typedef {object} Partners
 * @property {string} name
 * @property {number} amount
 * @property {boolean} gps
 * @property {boolean} forgetMeNot
 * @property {AgentFile} agent
 */

/**
 * @typedef {object} Team
 * @property {Bots[]} bots
 * @property {Partners[]} partners
 * @property {{ [name: string]: string | number | boolean }} original settings that only the original uses, by their
 *   names in TOML
 */

/** Maximum number of robots of a kind that are listed one by one. */
const MOST_OF_A_KIND = 1000;

/**
 * A robot or an e-partner of a team, under the name that it gets in a game.
 * @typedef {{ name: string, type: "bot" | "human" | "epartner" }} Slot
 */

/** The robots and e-partners of a team, as a game numbers them. @param {Team} team @returns {Slot[]} */
export function slotsOf({ bots, partners }) {
  const kinds = [
    ...bots, ...partners.map(({ name, amount }) => ({ name, amount, type: /** @type {const} */ ("epartner") })),
  ];
  const taken = new Set();
  return kinds.flatMap(({ name, amount, type }) =>
    Array.from({ length: Math.min(amount, MOST_OF_A_KIND) }, () => {
      let number = 1;
      while (taken.has(`${name}_${number}`)) number += 1;
      taken.add(`${name}_${number}`);
      return { name: `${name}_${number}`, type };
    }),
  );
}

/** @returns {AgentFile} */
const noAgent = () => ({ file: "*.goal", reference: "" });

/** @param {Partial<Bots>} [of] @returns {Bots} */
export function bots(of = {}) {
  return {
    name: "Bot",
    amount: 1,
    type: "bot",
    size: { value: 2, enabled: false },
    speed: { value: 50, enabled: false },
    grippers: { value: 1, enabled: true },
    battery: { capacity: 10, enabled: false },
    colorBlind: false,
    agent: noAgent(),
    ...of,
  };
}

/** @param {Partial<Partners>} [of] @returns {Partners} */
export function partners(of = {}) {
  return { name: "E-Partner", amount: 1, gps: false, forgetMeNot: false, agent: noAgent(), ...of };
}

/** The presets of the original's scenario editor. @type {[string, () => Bots][]} */
export const PRESETS = [
  ["Standard", () => bots()],
  ["Person", () => bots({ name: "Human", type: "human" })],
  ["Big", () => bots({ name: "Big", ...big() })],
  ["Gripper", () => bots({ name: "Gripper", colorBlind: true })],
  ["Big gripper", () => bots({ name: "BigGripper", colorBlind: true, ...big() })],
  ["Seer", () => bots({ name: "Seer", ...gripless() })],
  ["Big seer", () => bots({ name: "BigSeer", ...gripless(), ...big() })],
  ["Communicator", () => bots({ name: "Communicator", colorBlind: true, ...gripless() })],
  ["Big communicator", () => bots({ name: "BigCommunicator", colorBlind: true, ...gripless(), ...big() })],
];

const big = () => ({ size: { value: 5, enabled: true } });
const gripless = () => ({ grippers: { value: 1, enabled: false } });

/**
 * Reads a team from the forms of a document; null if they are of none.
 * @param {{ format: string, text: string }[]} forms
 * @returns {Team | null}
 */
export function readTeam(forms) {
  const team = JSON.parse(forms.find(({ format }) => format === "json")?.text ?? "null");
  if (team === null) return null;
  const setting = (/** @type {any} */ of, /** @type {Setting} */ usual) =>
    of === undefined
      ? usual
      : typeof of === "number"
        ? { value: of, enabled: true }
        : { value: of.value, enabled: of.enabled };
  const agent = (/** @type {any} */ of) => ({ ...noAgent(), ...of });
  return {
    bots: team.bots.map((/** @type {any} */ of) => {
      const usual = bots();
      return {
        ...usual,
        name: of.name,
        amount: of.amount,
        type: of.type ?? usual.type,
        size: setting(of.size, usual.size),
        speed: setting(of.speed, usual.speed),
        grippers: setting(of.grippers, usual.grippers),
        battery: of.battery ?? usual.battery,
        colorBlind: of["color-blind"] ?? false,
        agent: agent(of.agent),
      };
    }),
    partners: team.epartners.map((/** @type {any} */ of) => ({
      name: of.name, amount: of.amount, gps: of.gps, forgetMeNot: of["forget-me-not"], agent: agent(of.agent),
    })),
    original: team.original ?? {},
  };
}

/** @param {Team} team */
export function writeTeam({ bots: all, partners: carried, original }) {
  const lines = [];
  for (const { name, amount, type, size, speed, grippers, battery, colorBlind, agent } of all) {
    const { use } = battery;
    lines.push("[[bots]]", `name = ${text(name)}`, `amount = ${amount}`, `type = ${text(type)}`);
    lines.push(`size = ${setting(size)}`, `speed = ${setting(speed)}`, `grippers = ${setting(grippers)}`);
    const used = use === undefined || use === null ? "" : `, use = ${use}`;
    lines.push(`battery = { capacity = ${battery.capacity}, enabled = ${battery.enabled}${used} }`);
    lines.push(`color-blind = ${colorBlind}`, `agent = ${program(agent)}`, "");
  }
  for (const { name, amount, gps, forgetMeNot, agent } of carried) {
    lines.push(
      "[[epartners]]", `name = ${text(name)}`, `amount = ${amount}`, `gps = ${gps}`, `forget-me-not = ${forgetMeNot}`,
      `agent = ${program(agent)}`, "",
    );
  }
  const settings = Object.entries(original).filter(([, value]) => value !== null);
  if (settings.length > 0)
    lines.push(
      "[original]", ...settings.map(([name, value]) => `${name} = ${typeof value === "string" ? text(value) : value}`),
      "",
    );
  return lines.join("\n");
}

/** @param {Setting} of */
function setting({ value, enabled }) {
  return enabled ? String(value) : `{ value = ${value}, enabled = false }`;
}

/** @param {AgentFile} of */
function program({ file, reference }) {
  return `{ file = ${text(file)}, reference = ${text(reference)} }`;
}

/** @param {string} of */
function text(of) {
  return JSON.stringify(of);
}
