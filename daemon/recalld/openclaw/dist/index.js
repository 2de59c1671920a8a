/** The entry that OpenClaw loads: standard hooks only, no slot, nothing opened before it is used. */
import { fields } from "./fields.js";
import { HOOKS } from "./hooks.js";
import { readSettings } from "./settings.js";
import { shared } from "./shared.js";
function register(host) {
    const settings = readSettings(host.pluginConfig);
    const { notices, ...rest } = shared(settings, host.logger);
    if (typeof host.on !== "function") {
        notices.once("no hooks", "this host has no hooks to register; it is told nothing");
        return;
    }
    const parts = { ...rest, settings };
    for (const hook of HOOKS)
        host.on(hook.name, guarded(hook, parts, notices), hook.options);
}
/** Whatever happens in here is no business of the host's turn. */
function guarded(hook, parts, notices) {
    return async (event, context) => {
        try {
            return await hook.handle(parts, fields(event), fields(context));
        }
        catch (error) {
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
