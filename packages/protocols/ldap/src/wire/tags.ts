/** BER tags of what LDAP uses (RFC 4511, section 5.1). */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  octets: 0x04,
  enumerated: 0x0a,
  sequence: 0x30,
  set: 0x31,
  controls: 0xa0,
  referral: 0xa3,
} as const;

/** Tags of operations (RFC 4511, section 4.2 and after). */
export const OP = {
  bindRequest: 0x60,
  bindResponse: 0x61,
  unbindRequest: 0x42,
  searchRequest: 0x63,
  searchEntry: 0x64,
  searchDone: 0x65,
  searchReference: 0x73,
  modifyRequest: 0x66,
  modifyResponse: 0x67,
  addRequest: 0x68,
  addResponse: 0x69,
  deleteRequest: 0x4a,
  deleteResponse: 0x6b,
  modifyDnRequest: 0x6c,
  modifyDnResponse: 0x6d,
  compareRequest: 0x6e,
  compareResponse: 0x6f,
  abandonRequest: 0x50,
  extendedRequest: 0x77,
  extendedResponse: 0x78,
} as const;

/** The tag of the answer to a request; `undefined` for requests without one and for what is no request. */
export const ANSWER_TO: ReadonlyMap<number, number> = new Map([
  [OP.bindRequest, OP.bindResponse],
  [OP.searchRequest, OP.searchDone],
  [OP.modifyRequest, OP.modifyResponse],
  [OP.addRequest, OP.addResponse],
  [OP.deleteRequest, OP.deleteResponse],
  [OP.modifyDnRequest, OP.modifyDnResponse],
  [OP.compareRequest, OP.compareResponse],
  [OP.extendedRequest, OP.extendedResponse],
]);

/** Object identifiers. */
export const OID = {
  startTls: '1.3.6.1.4.1.1466.20037',
  noticeOfDisconnection: '1.3.6.1.4.1.1466.20036',
  whoAmI: '1.3.6.1.4.1.4203.1.11.3',
  passwordModify: '1.3.6.1.4.1.4203.1.11.1',
  cancel: '1.3.6.1.1.8',
  pagedResults: '1.2.840.113556.1.4.319',
  treeDelete: '1.2.840.113556.1.4.805',
  manageDsaIt: '2.16.840.1.113730.3.4.2',
  allOperationalAttributes: '1.3.6.1.4.1.4203.1.5.1',
  absoluteTrueFalse: '1.3.6.1.4.1.4203.1.5.3',
} as const;
