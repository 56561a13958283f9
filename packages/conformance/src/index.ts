export { abandon } from './abandon.js';
export { asyncapiContract, type ContractChannel } from './asyncapi-contract.js';
export { addSpaces, type KindInSpaces } from './add-spaces.js';
export { collectCleanups, type AfterThis } from './collect-cleanups.js';
export type { ConformanceCase, ConformanceGroup } from './conformance-case.js';
export { conformanceGroups } from './conformance-groups.js';
export { countHeld, type HeldCount } from './count-held.js';
export { describeConformance } from './describe-conformance.js';
export { importerCases, type ImporterSubject, type ImportSample } from './importer-cases.js';
export { JSON_FORMS } from './json-forms.js';
export { mutate } from './mutate.js';
export { playSession } from './play-session.js';
export { describePrivateNames, type LibraryOfPackage, type PrivateName } from './private-names.js';
export type {
  ListenAddress,
  Probe,
  ProbeAnswers,
  ProbeClient,
  ProbeContract,
  ProbeMessage,
  ProbeMocks,
  ProbeLogin,
  ProbeStream,
  StreamReader,
} from './probe.js';
export { exporterCases, type ExporterSubject, type ExportSample } from './exporter-cases.js';
export { problemsOf } from './problems-of.js';
export { mulberry32, xorshift32, type SeededNumbers } from './seeded-numbers.js';
export { RawConnection, type RawTarget } from './raw-connection.js';
export { startKind, type RunningKind, type StartKindOptions } from './start-kind.js';
export { RABBITMQ, startRabbit, type RabbitPlugin, type RunningRabbit } from './start-rabbit.js';
export { startServer, type RunningServer } from './start-server.js';
export { watchSocket } from './watch-socket.js';
export { freePort } from './free-port.js';
export { eventually, itWithTool, PYTHON, runTool, type ToolOptions, type ToolResult } from './with-tool.js';
