import type { Importer } from '@backlot/core/plugin';
import { backlot } from './backlot.js';
import { curl } from './http/curl.js';
import { har } from './http/har.js';
import { openapi } from './openapi/importer.js';
import { postman } from './postman/importer.js';
import { wiremock } from './wiremock/importer.js';

/** The importers of formats that belong to several kinds, or to tools that are known by their own names. */
export const importers: readonly Importer[] = [openapi, har, postman, wiremock, curl, backlot];
