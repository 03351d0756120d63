import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const SANE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/

/** Gives each request its id: the one it brings in `X-Request-Id` if that is plain and short, else one of our own. */
export function requestIds(): (request: Pick<IncomingMessage, 'headers'>) => string {
  const boot = randomBytes(6).toString('hex')
  let count = 0
  return ({ headers }) => {
    const brought = headers['x-request-id']
    if (typeof brought === 'string' && SANE.test(brought)) return brought
    count++
    return `${boot}-${count.toString(36)}`
  }
}
