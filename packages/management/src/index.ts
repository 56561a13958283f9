export { createManagementApp, createManagementServer } from './app.js';
export { createManagementRouter } from './router.js';
export { createOpenApiDocument } from './openapi.js';
export { shareSchemas } from './openapi/schema-shares.js';
export { allRoutes } from './routes/all-routes.js';
export type { ExportTools, ImportTools, ManagementOptions } from './options.js';
export { commandRunner } from './replication/run-command.js';
export type {
  Command,
  OtherReplica,
  Readiness,
  ReplicaAnswer,
  ReplicaQuestion,
  Replication,
  Submission,
  Submitted,
} from './replication/replication.js';
export type { ManagementRequest, ManagementRoute } from './routes/management-route.js';
export type { OpenApiDocument } from './openapi/document.js';
