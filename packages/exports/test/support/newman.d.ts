declare module 'newman' {
  /** What is used of newman, which has no types. */
  interface Run {
    on(
      event: 'request',
      heard: (
        problem: Error | null,
        what: { readonly item: { readonly name: string }; readonly response: { readonly code: number } },
      ) => void,
    ): this;
  }
  const newman: {
    run(options: { collection: object; reporters: [] }, done: (problem: Error | null) => void): Run;
  };
  export default newman;
}
