/** The id of the mock that answers what no other mock of a service does. */
export function unknownMockOf(name: string): string {
  return `${name}:unknown`;
}
