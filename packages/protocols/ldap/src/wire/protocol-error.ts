/** A message whose elements are sound BER and mean nothing (result code protocolError). */
export class ProtocolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProtocolError';
  }
}
