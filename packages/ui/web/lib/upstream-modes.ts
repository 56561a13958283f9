/** What each mode of an upstream means, in a sentence. */
export const UPSTREAM_MODES: Readonly<Record<string, string>> = {
  passthrough: 'The upstream answers everything.',
  spy: 'Mocks answer, and the upstream answers what none matches.',
  record_new: 'Mocks answer; what the upstream answers to the rest becomes mocks.',
  record_all: 'The upstream answers everything, and its answers become mocks in place of earlier recordings.',
  replay: 'Mocks alone answer; the upstream is not asked.',
  diff: 'Mocks answer, and the log says where the upstream would answer otherwise.',
};
