/** The types that are told by content. */
export type MediaType = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'pdf' | 'mp4' | 'webm' | 'mp3' | 'txt' | 'csv'

/** A type as the web and file names have it. */
export interface MediaForm {
  readonly mime: string
  /** Endings of names, in small letters; the first is the one to give. */
  readonly endings: readonly [string, ...string[]]
  readonly family: 'image' | 'video' | 'audio' | 'text' | 'document'
}

export const MEDIA_TYPES: Readonly<Record<MediaType, MediaForm>> = {
  jpeg: { mime: 'image/jpeg', endings: ['jpg', 'jpeg', 'jpe', 'jfif'], family: 'image' },
  png: { mime: 'image/png', endings: ['png', 'apng'], family: 'image' },
  gif: { mime: 'image/gif', endings: ['gif'], family: 'image' },
  webp: { mime: 'image/webp', endings: ['webp'], family: 'image' },
  avif: { mime: 'image/avif', endings: ['avif', 'avifs'], family: 'image' },
  pdf: { mime: 'application/pdf', endings: ['pdf'], family: 'document' },
  mp4: { mime: 'video/mp4', endings: ['mp4', 'm4v'], family: 'video' },
  webm: { mime: 'video/webm', endings: ['webm'], family: 'video' },
  mp3: { mime: 'audio/mpeg', endings: ['mp3'], family: 'audio' },
  txt: { mime: 'text/plain; charset=utf-8', endings: ['txt'], family: 'text' },
  csv: { mime: 'text/csv; charset=utf-8', endings: ['csv'], family: 'text' },
}

/** Returns the type that a file of this ending (without its dot) should have; undefined for one of no type here. */
export function typeOfEnding(ending: string): MediaType | undefined {
  const small = ending.toLowerCase()
  return (Object.keys(MEDIA_TYPES) as MediaType[]).find((type) => MEDIA_TYPES[type].endings.includes(small))
}
