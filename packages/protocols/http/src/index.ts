export { http } from './plugin.js';
export { AuthSchema, type AuthDefinition } from './auth/index.js';
export type { HttpMock } from './schemas.js';
