import { Agent, request } from 'node:http';

/**
 * A client of HTTP that keeps its connections open.
 *
 * @param {number} connections - how many it opens at most
 */
export function openClient(connections) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    /**
     * Posts a body, and reads the whole answer.
     *
     * @param {string} url
     * @param {string} body
     * @returns {Promise<number>} the status
     */
    post(url, body) {
      const headers = { 'content-length': Buffer.byteLength(body) };
      return new Promise((resolve, reject) => {
        const sent = request(url, { method: 'POST', agent, headers }, (response) => {
          response.resume();
          response.once('end', () => resolve(response.statusCode ?? 0));
        });
        sent.once('error', reject);
        sent.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}
