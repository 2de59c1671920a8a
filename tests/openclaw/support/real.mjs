/** The real daemon that pytest started, reached past the plugin too. */

import assert from "node:assert/strict";
import { connect } from "node:net";

export const SOCKET = process.env.RECALLD_SOCKET;
export const WORKSPACE = process.env.RECALLD_TEST_WORKSPACE;
export const PID = Number(process.env.RECALLD_TEST_PID);

assert.ok(SOCKET && WORKSPACE && PID, "pytest starts the daemon for these tests");

/** One call on a connection of its own. */
export function call(method, params = {}) {
  return new Promise((resolve, reject) => {
    let held = "";
    const socket = connect(SOCKET).setEncoding("utf8").on("error", reject);
    socket.on("data", (chunk) => {
      held += chunk;
      if (!held.endsWith("\n")) return;
      socket.destroy();
      const { result, error } = JSON.parse(held);
      if (error === undefined) resolve(result);
      else reject(new Error(JSON.stringify(error)));
    });
    socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`);
  });
}
