export type { AgentApi, AgentParts, AgentSpace } from './api.js';
export { createAgentHandler, type AgentHandler } from './http.js';
export { describeForAgents } from './pages.js';
export { serveAgent } from './stdio.js';
