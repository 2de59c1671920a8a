/** A host that records what a plugin registers and plays events at it, as OpenClaw does. */

import ours from "./plugin.mjs";

/** What a before_prompt_build handler may return, of which these are the user's turn. */
const USER_TURN = ["prependContext", "appendContext"];

function frozen(value) {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

/** Newer hosts put functions into a context. */
function withFunctions(context) {
  if (typeof context !== "object" || context === null || Array.isArray(context)) return context;
  return { ...context, hookInvocation: { assertActive: () => undefined } };
}

/** As if the process had ended: what the plugin keeps in it is gone. */
export function restarted() {
  for (const place of Object.getOwnPropertySymbols(globalThis)) {
    if (place.description.startsWith("recalld.openclaw")) delete globalThis[place];
  }
}

export class Host {
  constructor(pluginConfig = {}, plugin = ours) {
    this.hooks = [];
    this.log = [];
    /** Members of the interface that the plugin asked for. */
    this.used = new Set();
    const write = (level) => (message) => this.log.push(`${level} ${message}`);
    const api = {
      id: "recalld",
      pluginConfig,
      logger: {
        debug: write("debug"),
        info: write("info"),
        warn: write("warn"),
        error: write("error"),
      },
      on: (name, handler, options = {}) => this.hooks.push({ name, handler, options }),
    };
    const watched = new Proxy(api, {
      get: (target, name) => {
        this.used.add(String(name));
        return target[name];
      },
    });
    const returned = plugin.register(watched);
    if (returned !== undefined) throw new Error("register must be synchronous");
  }

  /** What the handlers of one hook return, merged as for a prompt; they get copies they cannot change. */
  async play(name, event, context) {
    const handlers = this.hooks
      .filter((hook) => hook.name === name)
      .sort((a, b) => (b.options.priority ?? 0) - (a.options.priority ?? 0));
    if (handlers.length === 0) throw new Error(`nobody listens to ${name}`);
    const results = [];
    for (const { handler } of handlers) {
      const given = frozen(withFunctions(structuredClone(context)));
      results.push(await handler(frozen(structuredClone(event)), given));
    }
    const [result] = results;
    // A heartbeat's prompt is the host's own.
    if (name === "heartbeat_prompt_contribution") return result;
    if (USER_TURN.some((field) => field in (result ?? {}))) throw new Error("spoke as the user");
    return result;
  }

  warnings() {
    return this.log.filter((line) => line.startsWith("warn"));
  }
}
