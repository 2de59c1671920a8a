/** Events and contexts of OpenClaw's hooks, in the shapes its types and callers give them. */

export const MAIN = "agent:main:main";
export const WORKSPACE = "/home/lena/notes";
export const CHILD = "agent:main:subagent:6f1c2d7e-0000-4000-8000-000000000001";

export const context = (more = {}) => ({
  runId: "run-1",
  agentId: "main",
  sessionKey: MAIN,
  sessionId: "0b0f3d0e-1111-4000-8000-000000000001",
  workspaceDir: WORKSPACE,
  modelProviderId: "anthropic",
  modelId: "m",
  messageProvider: "telegram",
  trigger: "user",
  channelId: "42",
  ...more,
});

export const sessionContext = (more = {}) => ({
  agentId: "main",
  sessionId: "0b0f3d0e-1111-4000-8000-000000000001",
  sessionKey: MAIN,
  ...more,
});

export const user = (text, more = {}) => ({
  role: "user",
  content: [{ type: "text", text }],
  timestamp: 1_781_000_000_000,
  ...more,
});

export const assistant = (text, more = {}) => ({
  role: "assistant",
  content: [
    { type: "thinking", thinking: "let me see" },
    { type: "text", text },
  ],
  provider: "anthropic",
  model: "m",
  usage: { input: 1, output: 1 },
  stopReason: "stop",
  timestamp: 1_781_000_005_000,
  ...more,
});

export const toolCall = (text) => ({
  role: "assistant",
  content: [
    ...(text ? [{ type: "text", text }] : []),
    { type: "toolCall", id: "call-1", name: "read", arguments: { path: "x" } },
  ],
  timestamp: 1_781_000_001_000,
});

export const toolResult = (text) => ({
  role: "toolResult",
  toolCallId: "call-1",
  toolName: "read",
  content: [{ type: "text", text }],
  isError: false,
  timestamp: 1_781_000_002_000,
});

/** A child's result, put into a run of the parent's that is under way. */
export const steered = (result) => ({
  role: "user",
  content: [
    {
      type: "text",
      text:
        "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\n[Internal task completion event]\n" +
        `source: subagent\n<prompt-data>\n${result}\n</prompt-data>\n` +
        "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>",
    },
  ],
  timestamp: 1_781_000_003_000,
  provenance: {
    kind: "inter_session",
    sourceSessionKey: CHILD,
    sourceChannel: "internal",
    sourceTool: "subagent_announce",
  },
});

/** Entries that are nobody's speech. */
export const entries = [
  {
    role: "custom",
    customType: "openclaw.nested-tool.v1",
    content: "bookkeeping",
    display: true,
    excludeFromContext: true,
    timestamp: 1_781_000_004_000,
  },
  { role: "compactionSummary", summary: "older words", tokensBefore: 63, timestamp: 1 },
  { role: "bashExecution", command: "ls", output: "x", timestamp: 2 },
];

/** A run of the parent's that the host begins to announce a child's result. */
export const ANNOUNCE_RUN = `announce:v1:${CHILD}:run-child-1`;
export const announcing = (more = {}) =>
  context({
    runId: ANNOUNCE_RUN,
    inputProvenance: {
      kind: "inter_session",
      sourceSessionKey: CHILD,
      sourceChannel: "internal",
      sourceTool: "subagent_announce",
    },
    ...more,
  });

export const prompt = (text, messages = []) => ({ prompt: text, messages });

export const ended = (messages, more = {}) => ({
  runId: "run-1",
  messages,
  success: true,
  durationMs: 1_200,
  ...more,
});

export const END_REASONS = [
  "new",
  "reset",
  "idle",
  "daily",
  "compaction",
  "deleted",
  "shutdown",
  "restart",
  "unknown",
];
export const OUTCOMES = ["ok", "error", "timeout", "killed", "reset", "deleted"];
export const HOST_TRIGGERS = ["heartbeat", "cron", "memory"];
export const USER_TRIGGERS = ["user", "manual", "overflow", undefined];

export const sessionEnd = (reason, more = {}) => ({
  sessionId: "0b0f3d0e-1111-4000-8000-000000000001",
  sessionKey: MAIN,
  messageCount: 12,
  durationMs: 60_000,
  reason,
  transcriptArchived: false,
  ...more,
});

export const sessionStart = (sessionId, resumedFrom) => ({
  sessionId,
  sessionKey: MAIN,
  ...(resumedFrom ? { resumedFrom } : {}),
});

export const subagentEnded = (outcome, more = {}) => ({
  targetSessionKey: CHILD,
  targetKind: "subagent",
  reason: "subagent-complete",
  sendFarewell: true,
  runId: "run-child-1",
  endedAt: 1_781_000_009_000,
  ...(outcome === undefined ? {} : { outcome }),
  ...more,
});

export const subagentContext = (more = {}) => ({
  runId: "run-child-1",
  childSessionKey: CHILD,
  requesterSessionKey: MAIN,
  ...more,
});
