import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { Unavailable } from '#lib/errors.ts'
import { composed } from '#lib/text/normal-form.ts'

/** The cost of a hash (RFC 7914 §2). N = 2^14, r = 8, p = 5 is one of OWASP's settings for scrypt and takes 16 MiB. */
export interface Cost {
  readonly n: number
  readonly r: number
  readonly p: number
}

/** The cost for new passwords. */
export const COST: Cost = { n: 2 ** 14, r: 8, p: 5 }

const SALT_BYTES = 16
const HASH_BYTES = 32

/** Above what any cost here needs; Node's own limit would refuse all but the least. */
const MAX_MEMORY = 256 * 1024 * 1024

const FORM = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([A-Za-z0-9_-]+)\$([A-Za-z0-9_-]+)$/

/** Number of concurrent hashes, and of those that may wait. Each takes a core for a good part of a second. */
const AT_ONCE = 2
const WAITING = 32
const RETRY_AFTER = 5

/**
 * Hashes passwords, a few at a time: what would wait too long is refused, so that nobody can keep a server busy with passwords.
 */
export class Hashing {
  readonly #cost: Cost
  readonly #waiting: (() => void)[] = []
  /** A dummy hash to compare with if there is none. */
  readonly #nobodys: string
  #busy = 0

  constructor(cost: Cost = COST) {
    this.#cost = cost
    this.#nobodys = written(cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))
  }

  /**
   * Runs `work`, which hashes or compares passwords, once it is among the few at a time. Throws Unavailable first if too many
   * wait.
   */
  async whenFree<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy >= AT_ONCE) await this.#queue()
    else this.#busy++
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#busy--
    }
  }

  /** A password as it is kept: `scrypt$N$r$p$salt$hash`. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES)
    return written(this.#cost, salt, await derive(password, salt, this.#cost))
  }

  /** Returns whether a password matches the stored hash. False, after as much work, if there is none. */
  async isSame(password: string, kept: string | undefined): Promise<boolean> {
    const known = kept === undefined ? undefined : read(kept)
    const { cost, salt, hash } = known ??
      read(this.#nobodys) ?? { cost: this.#cost, salt: Buffer.alloc(0), hash: Buffer.alloc(0) }
    const made = await derive(password, salt, cost)
    return made.length === hash.length && timingSafeEqual(made, hash) && known !== undefined
  }

  /** Returns whether a hash was made at another cost than new ones. */
  isOld(kept: string): boolean {
    const { cost } = read(kept) ?? {}
    return cost?.n !== this.#cost.n || cost.r !== this.#cost.r || cost.p !== this.#cost.p
  }

  #queue(): Promise<void> {
    if (this.#waiting.length < WAITING) return new Promise((resolve) => this.#waiting.push(resolve))
    throw new Unavailable('Too many passwords are being checked. Try again in a moment.', RETRY_AFTER)
  }
}

/** Two ways to write one text are one password (NIST SP 800-63B-4 §3.1.1.2). */
export function normalised(password: string): string {
  return composed(password)
}

function derive(password: string, salt: Buffer, { n, r, p }: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(normalised(password), salt, HASH_BYTES, { N: n, r, p, maxmem: MAX_MEMORY }, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })
}

function written({ n, r, p }: Cost, salt: Buffer, hash: Buffer): string {
  return ['scrypt', n, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

function read(kept: string): { cost: Cost; salt: Buffer; hash: Buffer } | undefined {
  const [, n, r, p, salt = '', hash = ''] = FORM.exec(kept) ?? []
  if (n === undefined) return undefined
  const cost = { n: Number(n), r: Number(r), p: Number(p) }
  return { cost, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') }
}
