import type { CustomFetch, CustomFetchOptions } from 'openid-client'
import { isSecureAddress } from '#lib/secure-address.ts'

/** The most bytes that an answer of a provider may have: keys and persons are small. */
const MOST_BYTES = 1024 * 1024

/** Answers of these have no body. */
const BARE: ReadonlySet<number> = new Set([204, 205, 304])

/** A provider that can't be asked, or whose answer is of no use; the message holds nothing that it said. */
export class Unusable extends Error {}

/**
 * `fetch` for requests to a provider: over https, or http to this machine itself; follows no redirect; answers up to 1 MiB. The
 * caller sets the time limit.
 */
export const askProvider: CustomFetch = async (url, options) => {
  if (!isSecureAddress(url)) throw new Unusable('it names an address that is not https')
  const answer = await fetch(url, requestOf(options))
  const { status, headers } = answer
  const body = await bytesOf(answer)
  return new Response(BARE.has(status) ? null : body, { status, headers })
}

function requestOf({ body, headers, method, signal }: CustomFetchOptions): RequestInit {
  // Tests of pages are checked with the types of browsers, which know bytes of shared memory apart; none are sent.
  return { method, headers, redirect: 'manual', body: (body as RequestInit['body']) ?? null, signal: signal ?? null }
}

async function bytesOf({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.length
    if (size > MOST_BYTES) throw new Unusable('its answer is too long')
    parts.push(part)
  }
  return Buffer.concat(parts)
}
