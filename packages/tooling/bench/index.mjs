export { compareServers } from './comparison.mjs';
export { loadH2 } from './h2load.mjs';
export { loadHttp } from './http-load.mjs';
export {
  connect,
  countByMark,
  countBySize,
  countFrames,
  inTime,
  loadDatagrams,
  loadStreams,
  receiveUntil,
} from './loads.mjs';
export { median } from './median.mjs';
export {
  freePort,
  isInstalled,
  listen,
  listenDatagrams,
  portOf,
  serveMocks,
  startMocks,
  startProgram,
} from './servers.mjs';
