/** What the tests use of it; it has no types of its own. */
declare module 'httpntlm' {
  namespace httpntlm {
    interface Answer {
      readonly statusCode: number;
      readonly body: string;
    }
  }
  const httpntlm: {
    get(options: object, done: (error: Error | null, answer: httpntlm.Answer) => void): void;
    post(options: object, done: (error: Error | null, answer: httpntlm.Answer) => void): void;
  };
  export = httpntlm;
}
