import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { AgentApi, AgentParts } from './api.js';
import { createServer } from './server.js';

/**
 * Serves one agent on standard input and output, until it closes its end.
 *
 * @param api - what its tools act on
 * @param onError - told what goes wrong beside the answers
 */
export function serveAgent(api: AgentApi, parts: AgentParts, onError: (error: Error) => void): void {
  serveStdio(() => createServer(api, parts), { onerror: onError });
}
