export { decodeContent, isKnownCoding } from './http-upstream/decode-content.js';
export {
  Forwarder,
  type ForwardedRequest,
  type ForwarderOptions,
  type Sent,
} from './http-upstream/forwarder.js';
export { passedHeaders } from './http-upstream/passed-headers.js';
export { below, rewriteHeader, type OwnPlace } from './http-upstream/rewrite-header.js';
export {
  hostOf,
  passUpgrade,
  upgradeHeaders,
  upstreamConnector,
  type PassedUpgrade,
} from './http-upstream/upgrade.js';
