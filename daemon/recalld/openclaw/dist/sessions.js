/** What the hooks of one session tell each other. Bounded; the daemon knows the rest. */
import { text } from "./fields.js";
const REMEMBERED = 512;
const WITHOUT_USER = /^(?:agent:[^:]+:)?(?:subagent|cron|hook):/;
export class Sessions {
    #known = new Map();
    /**
     * The session of a hook. Not every hook's context names agent and workspace: those seen last
     * stand in. Undefined where the host names no session.
     */
    of(event, context) {
        const named = (field) => text(context[field]) ?? text(event[field]);
        const key = named("sessionKey") ?? named("sessionId");
        if (key === undefined)
            return undefined;
        const session = this.at(key);
        session.agent = text(context["agentId"]) ?? session.agent;
        const workspace = text(context["workspaceDir"]);
        if (workspace?.startsWith("/"))
            session.workspace = workspace;
        return session;
    }
    at(key) {
        const session = this.#known.get(key) ?? unknown(key);
        this.#known.delete(key);
        this.#known.set(key, session);
        for (const oldest of this.#known.keys()) {
            if (this.#known.size <= REMEMBERED)
                break;
            this.#known.delete(oldest);
        }
        return session;
    }
}
/**
 * Whether the host itself, a schedule or another agent speaks where the user would. Such a
 * session is no place where the user's work stands still or goes on.
 */
export function withoutUser({ key }) {
    return WITHOUT_USER.test(key);
}
function unknown(key) {
    return {
        key,
        agent: undefined,
        workspace: undefined,
        begun: undefined,
        conversation: undefined,
        recovery: undefined,
        ended: undefined,
        compactions: 0,
        lastReply: undefined,
        said: undefined,
        hostRun: undefined,
        delivered: false,
        given: undefined,
        heartbeat: undefined,
    };
}
/** The session as the daemon is told of it. */
export function onTheWire({ key, agent, workspace }) {
    return {
        key,
        client: "openclaw",
        ...(agent === undefined ? {} : { agent }),
        ...(workspace === undefined ? {} : { workspace }),
    };
}
