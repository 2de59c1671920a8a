/** The entry that OpenClaw loads: standard hooks only, no slot, nothing opened before it is used. */

import { fields } from "./fields.js";
import type { Contribution } from "./heartbeat.js";
import { HOOKS, type Hook } from "./hooks.js";
import type { Logger, Notices } from "./notices.js";
import type { Parts } from "./parts.js";
import type { Addition } from "./prompts.js";
import { readSettings } from "./settings.js";
import { shared } from "./shared.js";

type Handler = (event: unknown, context: unknown) => Promise<Addition | Contribution | void>;

/** The part of the host's interface that is used. */
export interface Host {
  readonly pluginConfig?: unknown;
  readonly logger?: Logger;
  on(name: string, handler: Handler, options?: { readonly priority: number }): void;
}

function register(host: Host): void {
  const settings = readSettings(host.pluginConfig);
  const { notices, ...rest } = shared(settings, host.logger);
  if (typeof host.on !== "function") {
    notices.once("no hooks", "this host has no hooks to register; it is told nothing");
    return;
  }
  const parts: Parts = { ...rest, settings };
  for (const hook of HOOKS) host.on(hook.name, guarded(hook, parts, notices), hook.options);
}

/** Whatever happens in here is no business of the host's turn. */
function guarded(hook: Hook, parts: Parts, notices: Notices): Handler {
  return async (event, context) => {
    try {
      return await hook.handle(parts, fields(event), fields(context));
    } catch (error) {
      notices.once(`${hook.name} failed`, `${hook.name} failed (${String(error)})`);
      return undefined;
    }
  };
}

export default {
  id: "recalld",
  name: "recalld",
  description: "Memory and continuity from the recalld daemon.",
  register,
};
