export { abandon } from './abandon.js';
export { conformanceGroups, type ConformanceCase, type ConformanceGroup } from './conformance-groups.js';
export { describeConformance } from './describe-conformance.js';
export type {
  Address,
  Probe,
  ProbeAnswers,
  ProbeClient,
  ProbeMessage,
  ProbeMocks,
  ProbeStream,
  StreamReader,
} from './probe.js';
export { eventually, itWithTool, PYTHON, runTool, type ToolOptions, type ToolResult } from './with-tool.js';
