/**
 * One filter of a SUBSCRIBE (MQTT 5, section 3.8.3) and what became of it; without a code the broker has still to say.
 */
export interface Granting {
  readonly filter: string;
  readonly qos: number;
  readonly code: number | undefined;
}

/** A SUBSCRIBE under way (MQTT 5, section 3.8). */
export interface Subscribing {
  readonly grantings: Granting[];
  /** The broker's codes so far, by filter. */
  readonly codes: Map<string, number>;
  /** The filters of the parts that the broker has still to answer. */
  readonly parts: (readonly string[])[];
  /** Whether it is handled in parts while nothing is read of the client. */
  readonly isLong: boolean;
  /** Whether all parts are with the broker. */
  isWhole: boolean;
}
