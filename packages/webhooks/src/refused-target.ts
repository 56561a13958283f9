/** Why a target is not called at all; such an attempt is not repeated. */
export class RefusedTarget extends Error {
  override readonly name = 'RefusedTarget';

  static forAddress(address: string): RefusedTarget {
    return new RefusedTarget(
      `refused: ${address} is a link-local or cloud metadata address, which webhooks never call`,
    );
  }
}
