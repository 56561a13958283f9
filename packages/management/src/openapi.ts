import type { Host } from '@backlot/core';
import { createDocument, type OpenApiDocument } from './openapi/document.js';
import { completeOptions, type ManagementOptions } from './options.js';
import { allRoutes } from './routes/all-routes.js';

/** Makes the OpenAPI 3.1 document of a host's management API from the routes that are mounted. */
export function createOpenApiDocument(host: Host, options: ManagementOptions = {}): OpenApiDocument {
  return createDocument(host, allRoutes(host, options), completeOptions(options));
}
