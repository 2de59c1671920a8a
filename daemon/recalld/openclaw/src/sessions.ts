/** What the hooks of one session tell each other. Bounded; the daemon knows the rest. */

import { type Fields, text } from "./fields.js";

const REMEMBERED = 512;
const WITHOUT_USER = /^(?:agent:[^:]+:)?(?:subagent|cron|hook):/;

export interface Session {
  readonly key: string;
  agent: string | undefined;
  workspace: string | undefined;
  /** Settled when the daemon answered that the session begins; undefined until it was told. */
  begun: Promise<void> | undefined;
  /** The host's id of the conversation that began; one key has many after one another. */
  conversation: string | undefined;
  /** The snapshot the session began with, until a prompt was given it. */
  recovery: string | undefined;
  /** Why the conversation before this one ended. */
  ended: string | undefined;
  compactions: number;
  lastReply: string | undefined;
  /** The run in which the host spoke last where the user would, and the child it spoke for. */
  hostRun: { readonly id: string; readonly child: string | undefined } | undefined;
  /** Whether the host itself has handed this child's result to its parent. */
  delivered: boolean;
  /** Marks the words of the turn that was sent last. */
  said: string | undefined;
  /** What a run was given, for its further attempts. */
  given: { readonly id: string; readonly context: string } | undefined;
  /** What the last heartbeat was told, and at which of its hooks. */
  heartbeat:
    | {
        readonly run: string | undefined;
        readonly place: string;
        readonly context: Promise<string | undefined>;
      }
    | undefined;
}

export class Sessions {
  readonly #known = new Map<string, Session>();

  /**
   * The session of a hook. Not every hook's context names agent and workspace: those seen last
   * stand in. Undefined where the host names no session.
   */
  of(event: Fields, context: Fields): Session | undefined {
    const named = (field: string): string | undefined => text(context[field]) ?? text(event[field]);
    const key = named("sessionKey") ?? named("sessionId");
    if (key === undefined) return undefined;
    const session = this.at(key);
    session.agent = text(context["agentId"]) ?? session.agent;
    const workspace = text(context["workspaceDir"]);
    if (workspace?.startsWith("/")) session.workspace = workspace;
    return session;
  }

  at(key: string): Session {
    const session = this.#known.get(key) ?? unknown(key);
    this.#known.delete(key);
    this.#known.set(key, session);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= REMEMBERED) break;
      this.#known.delete(oldest);
    }
    return session;
  }
}

/**
 * Whether the host itself, a schedule or another agent speaks where the user would. Such a
 * session is no place where the user's work stands still or goes on.
 */
export function withoutUser({ key }: Session): boolean {
  return WITHOUT_USER.test(key);
}

function unknown(key: string): Session {
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
export function onTheWire({ key, agent, workspace }: Session): Fields {
  return {
    key,
    client: "openclaw",
    ...(agent === undefined ? {} : { agent }),
    ...(workspace === undefined ? {} : { workspace }),
  };
}
