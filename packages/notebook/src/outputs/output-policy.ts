/** How much of its outputs a reply may hold. */
export interface OutputPolicy {
  /** Of all text, in UTF-8. */
  readonly maxBytes: number
  readonly images: boolean
  /** Of one image, in base64. */
  readonly maxImageBytes: number
  /** Of one image, in pixels. */
  readonly maxImageSide: number
  readonly maxImages: number
}

export const DEFAULT_OUTPUT_POLICY: OutputPolicy = Object.freeze({
  maxBytes: 64 * 1024,
  images: true,
  maxImageBytes: 512 * 1024,
  // Models scale down themselves what is larger.
  maxImageSide: 1568,
  maxImages: 10,
})
