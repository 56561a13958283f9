/** Tags of values (RFC 2578 section 7.1, RFC 3416 section 3). */
export const TAG = {
  integer: 0x02,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  ipAddress: 0x40,
  counter32: 0x41,
  gauge32: 0x42,
  timeTicks: 0x43,
  opaque: 0x44,
  counter64: 0x46,
  noSuchObject: 0x80,
  noSuchInstance: 0x81,
  endOfMibView: 0x82,
} as const;

/** Tags of PDUs (RFC 3416 section 3). */
export const PDU = {
  get: 0xa0,
  getNext: 0xa1,
  response: 0xa2,
  set: 0xa3,
  getBulk: 0xa5,
  inform: 0xa6,
  report: 0xa8,
} as const;
