/** A daemon that answers politely, with `results` for single methods, and a host that reaches it. */

import { afterEach } from "node:test";

import { Daemon, polite } from "./daemon.mjs";
import { Host } from "./host.mjs";

export const RECALL = "<recall-context>\nthe queue is Redis\n</recall-context>";
export const SNAPSHOT = "CONTINUITY SNAPSHOT\nObjective: move the queue";
const daemons = [];

export async function world(results = {}, settings = {}) {
  return scripted(polite(results), settings);
}

export async function scripted(script, settings = {}) {
  const daemon = await Daemon.start(script);
  daemons.push(daemon);
  return { daemon, host: new Host({ socketPath: daemon.path, ...settings }) };
}

/** A daemon that this file's next `afterEach` stops. */
export async function started(script, path) {
  const daemon = await Daemon.start(script, path);
  daemons.push(daemon);
  return daemon;
}

export const recalled = (more) => ({
  "session.prompt": { status: "ok", context: null, recovery: null, ...more },
});

afterEach(async () => {
  for (const daemon of daemons.splice(0)) await daemon.stop();
});
