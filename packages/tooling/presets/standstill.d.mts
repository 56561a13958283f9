export function watchForStandstill(
  limit: number,
  onStandstill: (problem: string) => void,
  most?: number,
): () => void;
export function workedTime(): number;
