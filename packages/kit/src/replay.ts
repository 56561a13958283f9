/** Whether the settings of a kind have it replay recordings, so that mocks alone answer. */
export function isReplay(config: object): boolean {
  return (config as { readonly upstream?: { readonly mode: string } }).upstream?.mode === 'replay';
}
