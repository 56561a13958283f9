import type { Exporter } from '@backlot/core/plugin';
import { asyncapi } from './asyncapi/exporter.js';
import { curl } from './http/curl.js';
import { eml, mbox } from './mail/exporters.js';
import { openapi } from './openapi/exporter.js';
import { postman } from './postman/exporter.js';
import { wiremock } from './wiremock/exporter.js';
import { yaml } from './yaml.js';

/** The exporters of formats that several kinds fill, or that are large. */
export const exporters: readonly Exporter[] = [yaml, openapi, asyncapi, postman, wiremock, curl, mbox, eml];
