import type { Metadata } from 'sharp'

/** Facts about a picture that tell what it takes to decode it. */
export type Decoded = Pick<Metadata, 'width' | 'height' | 'format' | 'isProgressive' | 'chromaSubsampling' | 'channels' | 'depth'>

/** Bytes that a picture may hold while it is decoded with another one beside it. */
const MOST_BESIDE = 100_000_000

/** Returns whether decoding a picture holds so many bytes that no other one is to be decoded meanwhile. */
export function isHeavy(picture: Decoded): boolean {
  return picture.width * picture.height * heldBytes(picture) > MOST_BESIDE
}

/** The bytes that are held of each pixel: none where a picture is read line by line. As it was measured for AVIF and WebP. */
function heldBytes({ format, isProgressive, chromaSubsampling, channels, depth }: Decoded): number {
  if (format === 'heif') return 18
  if (format === 'webp') return 8
  if (!isProgressive) return 0
  if (format === 'jpeg') return chromaSubsampling === '4:2:0' ? 3 : 6
  return channels * (depth === 'ushort' ? 2 : 1)
}
