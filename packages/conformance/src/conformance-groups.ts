import type { Protocol } from '@backlot/core';
import type { ConformanceCase, ConformanceGroup } from './conformance-case.js';
import { captureCases } from './groups/captures.js';
import { connectionCases } from './groups/connections.js';
import { contractCases } from './groups/contracts.js';
import { dataCases } from './groups/data.js';
import { declarationCases } from './groups/declaration.js';
import { delayCases } from './groups/delays.js';
import { explainCases } from './groups/explain.js';
import { exportCases } from './groups/exports.js';
import { faultCases } from './groups/faults.js';
import { functionCases } from './groups/functions.js';
import { importCases } from './groups/imports.js';
import { incidentCases } from './groups/incidents.js';
import { journalCases } from './groups/journal.js';
import { lifecycleCases } from './groups/lifecycle.js';
import { mockCases } from './groups/mocks.js';
import { resetCases } from './groups/reset.js';
import { robustnessCases } from './groups/robustness.js';
import { snapshotCases } from './groups/snapshots.js';
import { spaceCases } from './groups/spaces.js';
import { streamCases } from './groups/streams.js';
import { verifyCases } from './groups/verify.js';
import { toxicCases } from './groups/toxics.js';
import { recordingCases } from './groups/recording.js';
import { upstreamCases } from './groups/upstream.js';
import type { Probe } from './probe.js';
import type { Subject } from './stage.js';

const GROUPS: Readonly<Record<string, (subject: Subject) => readonly ConformanceCase[]>> = {
  declaration: declarationCases,
  lifecycle: lifecycleCases,
  mocks: mockCases,
  journal: journalCases,
  delays: delayCases,
  functions: functionCases,
  faults: faultCases,
  connections: connectionCases,
  toxics: toxicCases,
  upstream: upstreamCases,
  recording: recordingCases,
  incidents: incidentCases,
  captures: captureCases,
  data: dataCases,
  imports: importCases,
  exports: exportCases,
  contracts: contractCases,
  streams: streamCases,
  reset: resetCases,
  snapshots: snapshotCases,
  spaces: spaceCases,
  explain: explainCases,
  verify: verifyCases,
  robustness: robustnessCases,
};

/**
 * The whole suite as data. The group of a capability is there when the protocol declares the capability. When the probe
 * lacks a fact that such a group needs, the group fails, so nothing is left out silently.
 */
export function conformanceGroups(protocol: Protocol, probe: Probe): readonly ConformanceGroup[] {
  return Object.entries(GROUPS)
    .map(([name, makeCases]) => ({ name, cases: makeCases({ protocol, probe }) }))
    .filter(({ cases }) => cases.length > 0);
}
