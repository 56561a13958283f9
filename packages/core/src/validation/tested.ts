/** What was marked, by the very object: whoever changes it makes a new one. */
const tested = new WeakSet<object>();

/**
 * Says of a mock or a scenario of settings that its form was checked by the tests of the package that it comes from, so that it is not
 * checked again at each start: with hundreds of mocks that, and making what checks them, would be much of the start. What
 * the mock is compiled to is still checked, and so is everything that is put over it.
 *
 * @param part - the object as the settings have it
 */
export function markTested(part: object): void {
  tested.add(part);
}

/** Whether something was marked by {@link markTested}. */
export function isTested(part: object): boolean {
  return tested.has(part);
}
