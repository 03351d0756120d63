import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Asset } from '#lib/template-files.ts'

const pack = promisify(gzip)

/** Types of content that are smaller when packed. */
const TEXT = /^(?:text\/|application\/json|image\/svg)/
const LEAST_BYTES = 1024

/** The assets as they are sent packed: each is packed once, when the first browser asks for it. */
const packed = new WeakMap<Asset, Promise<Buffer>>()

/** Returns the gzip of an asset for who accepts it (`Accept-Encoding`); undefined where it is to be sent as it is. */
export function packedFor(asset: Asset, accepted: string | string[] | undefined): Promise<Buffer> | undefined {
  if (!TEXT.test(asset.contentType) || asset.body.length < LEAST_BYTES || !acceptsGzip(String(accepted ?? ''))) return undefined
  const made = packed.get(asset) ?? pack(asset.body, { level: 9 })
  packed.set(asset, made)
  return made
}

function acceptsGzip(accepted: string): boolean {
  return accepted.split(',').some((part) => {
    const [name = '', weight = ''] = part.split(';').map((one) => one.trim().toLowerCase())
    return name === 'gzip' && !/^q=0(?:\.0*)?$/.test(weight)
  })
}
