import type { Importer } from '@backlot/core/plugin';
import { asyncapi } from './asyncapi/importer.js';
import { backlot } from './backlot.js';
import { cloudevents } from './cloudevents/importer.js';
import { curl } from './http/curl.js';
import { har } from './http/har.js';
import { mockserver } from './http/mockserver.js';
import { mountebank } from './http/mountebank.js';
import { nock } from './nock/importer.js';
import { mockoon } from './mockoon/importer.js';
import { msw } from './msw/importer.js';
import { openapi } from './openapi/importer.js';
import { postman } from './postman/importer.js';
import { wiremock } from './wiremock/importer.js';

/** The importers of formats that belong to several kinds, or to tools that are known by their own names. */
export const importers: readonly Importer[] = [
  openapi,
  asyncapi,
  cloudevents,
  har,
  postman,
  wiremock,
  mockoon,
  mockserver,
  mountebank,
  nock,
  msw,
  curl,
  backlot,
];
