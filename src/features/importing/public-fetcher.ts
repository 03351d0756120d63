import type { IncomingMessage } from 'node:http'
import { type Allowing, guardedRequest } from '#lib/net/guarded-request.ts'
import { isPublicAddress } from '#lib/net/public-address.ts'
import type { Fetcher } from './fetching.ts'

/** Milliseconds that an answer, and each part of it, may take to come. */
const PATIENCE_MS = 20_000
/** Milliseconds for all of it. */
const LONGEST_MS = 5 * 60_000
const MOST_REDIRECTS = 5

/** Fetches from the public internet alone. */
export const publicFetcher: Fetcher = fetcherTo(isPublicAddress)

/** Returns a fetcher over http and https from the addresses that are allowed. Each redirect is looked at anew. */
export function fetcherTo(isAllowed: Allowing): Fetcher {
  return async (first, asked) => {
    const signal = AbortSignal.any([asked, AbortSignal.timeout(LONGEST_MS)])
    let url = first
    for (let n = 0; n <= MOST_REDIRECTS; n++) {
      const answer = await guardedRequest({ url, isAllowed, signal, headers: { accept: 'image/*' }, patience: PATIENCE_MS })
      if ('reason' in answer) return answer
      if (answer.statusCode === 200) return answer
      answer.destroy()
      const next = redirectOf(answer, url)
      if (!next) return { reason: `the answer is ${answer.statusCode}` }
      url = next
    }
    return { reason: `more than ${MOST_REDIRECTS} redirects` }
  }
}

function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, url: URL): URL | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(statusCode) && location !== undefined
  return isRedirect && URL.canParse(location, url) ? new URL(location, url) : undefined
}
