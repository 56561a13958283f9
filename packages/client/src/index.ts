export { connect, type ConnectOptions, type RemoteBacklot } from './connect.js';
export {
  createSpace,
  type SpaceAddress,
  type SpaceClient,
  type SpaceMembers,
  type SpaceOptions,
} from './space.js';
export { BacklotError } from './errors.js';
export type {
  ProtocolName,
  RemoteBacklotMembers,
  RemoteClock,
  RemoteCollection,
  RemoteProtocols,
  RemoteSnapshot,
  RemoteWebhooks,
} from './remote-backlot.js';
export type {
  Place,
  RemoteCapturing,
  RemoteFaultable,
  RemoteMembers,
  RemoteMock,
  RemoteProtocol,
  RemoteStreaming,
} from './remote-protocol.js';
export type { Later, Promised } from './promised.js';
export type { QueryValues, ServerOptions, Transport } from './transport.js';
export { asWanted, includes, isAsymmetric, isList, isRecord, own, type Equals } from './includes.js';
export { remoteSubjectOf, type RemoteSubject } from './remote-subject.js';
export type { AsymmetricMatcher, Wanted, WantedJson } from './wanted.js';
