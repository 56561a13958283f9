import { ByteReader, isFramingError } from '@backlot/kit/framing';

/**
 * The topics that a member of a group of consumers has subscribed to (ConsumerProtocolSubscription: a version, the topics,
 * and what later versions have added); none when the bytes are something else.
 */
export function subscribedTopics(metadata: Buffer): readonly string[] {
  try {
    const reader = new ByteReader(metadata);
    reader.i16();
    const topics: string[] = [];
    for (let left = reader.i32(); left > 0; left -= 1) topics.push(reader.text(reader.i16()));
    return topics;
  } catch (error) {
    if (isFramingError(error)) return [];
    throw error;
  }
}
