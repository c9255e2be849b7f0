/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache_format_tags.h: the names of all format tags, as lists.
 *
 * DNNL_CACHE_FORMAT_TAGS(TAG) is TAG(name) for each tag, in the order of their
 * values; the first is a, 2. DNNL_CACHE_FORMAT_TAG_ALIASES(ALIAS) is
 * ALIAS(name, tag) for each other name of a tag. dnnl_format_tag_t says what
 * the names mean. Names and values are those of oneDNN 3.8.
 */
#ifndef DNNL_CACHE_FORMAT_TAGS_H
#define DNNL_CACHE_FORMAT_TAGS_H

/* clang-format off */

#define DNNL_CACHE_FORMAT_TAGS(TAG) \
    TAG(a) TAG(ab) TAG(abc) TAG(abcd) TAG(abcde) TAG(abcdef) TAG(abcdefg) \
    TAG(abcdefgh) TAG(abcdefghi) TAG(abcdefghij) TAG(abcdefghijk) \
    TAG(abcdefghijkl) TAG(ba) TAG(acb) TAG(bac) TAG(bca) TAG(cab) TAG(cba) \
    TAG(abdc) TAG(acbd) TAG(acdb) TAG(adbc) TAG(adcb) TAG(bacd) TAG(bcda) \
    TAG(cdab) TAG(cdba) TAG(dcab) TAG(abced) TAG(abdec) TAG(acbde) TAG(acdeb) \
    TAG(adecb) TAG(bacde) TAG(bcdea) TAG(cdeab) TAG(cdeba) TAG(decab) \
    TAG(abcdfe) TAG(abdefc) TAG(abdfce) TAG(acbdef) TAG(adefcb) TAG(defcab) \
    TAG(abcdegf) TAG(abcdefhg) TAG(abcdefgih) TAG(abcdefghji) TAG(abcdefghikj) \
    TAG(abcdefghijlk) TAG(Abc16a) TAG(ABc16a16b) TAG(ABc32a32b) TAG(ABc4a4b) \
    TAG(aBc16b) TAG(ABc16b16a) TAG(Abc4a) TAG(aBc32b) TAG(aBc4b) \
    TAG(ABc4b16a4b) TAG(ABc2b8a4b) TAG(ABc16b16a4b) TAG(ABc16b16a2b) \
    TAG(ABc4b4a) TAG(ABc8a16b2a) TAG(ABc8a8b) TAG(ABc8a4b) TAG(aBc8b) \
    TAG(ABc8b16a2b) TAG(BAc8a16b2a) TAG(ABc8b8a) TAG(Abcd16a) TAG(Abcd8a) \
    TAG(ABcd16a16b) TAG(Abcd32a) TAG(ABcd32a32b) TAG(aBcd16b) TAG(ABcd16b16a) \
    TAG(aBCd16b16c) TAG(aBCd16c16b) TAG(Abcd4a) TAG(aBcd32b) TAG(aBcd4b) \
    TAG(ABcd4b16a4b) TAG(ABcd16b16a4b) TAG(ABcd16b16a2b) TAG(ABcd4b4a) \
    TAG(ABcd4a4b) TAG(aBCd2c4b2c) TAG(aBCd4b8c2b) TAG(aBCd4c16b4c) \
    TAG(aBCd2c8b4c) TAG(aBCd16c16b4c) TAG(aBCd16c16b2c) TAG(aBCd4c4b) \
    TAG(aBCd4b4c) TAG(ABcd8a16b2a) TAG(ABcd2b8a4b) TAG(ABcd8a8b) TAG(ABcd8a4b) \
    TAG(aBcd8b) TAG(aBCd4c8b2c) TAG(ABcd8b16a2b) TAG(aBCd8b16c2b) \
    TAG(BAcd8a16b2a) TAG(ABcd8b8a) TAG(aBCd8b8c) TAG(aBCd8b4c) \
    TAG(aBCd8c16b2c) TAG(ABcde8a16b2a) TAG(aCBd8b16c2b) TAG(aBCd8c8b) \
    TAG(Abcde16a) TAG(Abcde32a) TAG(ABcde16a16b) TAG(BAcde8a16b2a) \
    TAG(aBCd2b4c2b) TAG(ABcde4b16a4b) TAG(ABcde2b8a4b) TAG(aBcde16b) \
    TAG(ABcde16b16a) TAG(aBCde16b16c) TAG(aBCde16c16b) TAG(aBCde2c8b4c) \
    TAG(Abcde4a) TAG(aBcde32b) TAG(aBcde4b) TAG(ABcde4b4a) TAG(ABcde4a4b) \
    TAG(aBCde4b4c) TAG(aBCde2c4b2c) TAG(aBCde4b8c2b) TAG(aBCde4c16b4c) \
    TAG(aBCde16c16b4c) TAG(aBCde16c16b2c) TAG(aBCde4c4b) TAG(Abcde8a) \
    TAG(ABcde8a8b) TAG(ABcde8a4b) TAG(BAcde16b16a) TAG(aBcde8b) \
    TAG(ABcde8b16a2b) TAG(aBCde8b16c2b) TAG(aBCde4c8b2c) TAG(aCBde8b16c2b) \
    TAG(ABcde8b8a) TAG(ABcde32a32b) TAG(aBCde8b8c) TAG(aBCde8b4c) \
    TAG(ABc4a8b8a4b) TAG(ABcd4a8b8a4b) TAG(ABcde4a8b8a4b) TAG(BAc4b8a8b4a) \
    TAG(BAcd4b8a8b4a) TAG(BAcde4b8a8b4a) TAG(ABcd2a8b8a2b) TAG(aBCd4b8c8b4c) \
    TAG(aBCde4b8c8b4c) TAG(aBCde2b8c8b2c) TAG(aBCde8c16b2c) TAG(aBCde8c8b) \
    TAG(aBCde2b4c2b) TAG(aBcdef16b) TAG(aBCdef16b16c) TAG(aBCdef16c16b) \
    TAG(aBCdef4c16b4c) TAG(aBCdef2c8b4c) TAG(aBCdef4c8b2c) TAG(aBCdef2b4c2b) \
    TAG(aBcdef4b) TAG(aBCdef4c4b) TAG(aBCdef4b4c) TAG(aBCdef2c4b2c) \
    TAG(aBCdef4b8c2b) TAG(aBCdef8b8c) TAG(aBCdef8b4c) TAG(aBCdef8c16b2c) \
    TAG(aBCdef4b8c8b4c) TAG(aBCdef8b16c2b) TAG(aCBdef8b16c2b) TAG(aBCdef8c8b) \
    TAG(aBdc16b) TAG(aBdC16b2c) TAG(aBdC16b4c) TAG(aBdc4b) TAG(aBdc8b) \
    TAG(aBdec16b) TAG(aBdeC16b2c) TAG(aBdeC16b4c) TAG(aBdec32b) TAG(aBdec4b) \
    TAG(aBdec8b) TAG(aBdefc16b) TAG(aBdefC16b2c) TAG(aCBdef16c16b) \
    TAG(aBdefc4b) TAG(aBdefc8b) TAG(Abcdef16a) TAG(Abcdef32a) TAG(aBedc16b) \
    TAG(Acb16a) TAG(AcB16a2b) TAG(AcB16a4b) TAG(Acb4a) TAG(Acb8a) \
    TAG(aCBd16b16c) TAG(aCBd16c16b) TAG(aCBde16b16c) TAG(aCBde16c16b) \
    TAG(Acdb16a) TAG(AcdB16a2b) TAG(AcdB16a4b) TAG(Acdb32a) TAG(Acdb4a) \
    TAG(Acdb8a) TAG(Acdeb16a) TAG(AcdeB16a2b) TAG(Acdeb4a) TAG(Acdeb8a) \
    TAG(Adcb16a) TAG(BAc16a16b) TAG(BAc16b16a) TAG(BAcd16a16b) TAG(BAcd16b16a) \
    TAG(aCBd4c8b8c4b) TAG(aCBde4c8b8c4b) TAG(aCBdef4c8b8c4b) TAG(BAcde16a16b) \
    TAG(aCBdef16b16c) TAG(ABc16b32a) TAG(ABc16b64a) TAG(ABc4b32a4b) \
    TAG(ABc4b64a4b) TAG(ABc8b32a2b) TAG(ABc8b64a2b) TAG(AB16b16a) \
    TAG(AB16b32a) TAG(AB16b64a) TAG(AB8b16a2b) TAG(AB8b32a2b) TAG(AB8b64a2b) \
    TAG(AB4b16a4b) TAG(AB4b32a4b) TAG(AB4b64a4b) TAG(AB16b16a4b) \
    TAG(ABcd16b32a) TAG(ABcd16b64a) TAG(ABcd4b32a4b) TAG(ABcd4b64a4b) \
    TAG(ABcd8b32a2b) TAG(ABcd8b64a2b) TAG(ABcde4b32a4b) TAG(ABcde4b64a4b) \
    TAG(ABcde16b16a4b) TAG(ABcde16b16a2b) TAG(ABcde16b32a) TAG(ABcde16b64a) \
    TAG(ABcde8b32a2b) TAG(ABcde8b64a2b) TAG(aBCdef16c16b4c) \
    TAG(aBCdef16c16b2c) TAG(AB32a32b8a4b) TAG(AB8a4b) TAG(AB32a32b8a2b) \
    TAG(AB8a2b) TAG(abDc32d) TAG(abDC32d4c) TAG(abdEc32e) TAG(abdEC32e2c) \
    TAG(abdEC32e4c) TAG(aBdefC16b4c) TAG(AcdeB16a4b) TAG(ABcd16a16b2a) \
    TAG(ABc16a16b2a) TAG(aBCd16b16c2b) TAG(aBCde16b16c2b) TAG(Acb32a) \
    TAG(AcB32a2b) TAG(AcB32a4b) TAG(Acb48a) TAG(AcB48a2b) TAG(AcB48a4b) \
    TAG(Acb64a) TAG(AcB64a2b) TAG(AcB64a4b) TAG(cBa2b) TAG(cBa4b) TAG(aBdc32b) \
    TAG(aBdC32b2c) TAG(aBdC32b4c) TAG(aBdc48b) TAG(aBdC48b2c) TAG(aBdC48b4c) \
    TAG(aBdc64b) TAG(aBdC64b2c) TAG(aBdC64b4c) TAG(adCb2c) TAG(adCb4c) \
    TAG(AcdB32a2b) TAG(AcdB32a4b) TAG(Acdb48a) TAG(AcdB48a2b) TAG(AcdB48a4b) \
    TAG(Acdb64a) TAG(AcdB64a2b) TAG(AcdB64a4b) TAG(cdBa2b) TAG(cdBa4b) \
    TAG(aBdeC32b2c) TAG(aBdeC32b4c) TAG(aBdec48b) TAG(aBdeC48b2c) \
    TAG(aBdeC48b4c) TAG(aBdec64b) TAG(aBdeC64b2c) TAG(aBdeC64b4c) TAG(adeCb2c) \
    TAG(adeCb4c) TAG(Acdeb32a) TAG(AcdeB32a2b) TAG(AcdeB32a4b) TAG(Acdeb48a) \
    TAG(AcdeB48a2b) TAG(AcdeB48a4b) TAG(Acdeb64a) TAG(AcdeB64a2b) \
    TAG(AcdeB64a4b) TAG(cdeBa2b) TAG(cdeBa4b) TAG(aBdefc32b) TAG(aBdefC32b2c) \
    TAG(aBdefC32b4c) TAG(aBdefc48b) TAG(aBdefC48b2c) TAG(aBdefC48b4c) \
    TAG(aBdefc64b) TAG(aBdefC64b2c) TAG(aBdefC64b4c) TAG(adefCb2c) \
    TAG(adefCb4c) TAG(AB16b32a4b) TAG(AB16b48a4b) TAG(AB16b64a4b) \
    TAG(AB16b16a2b) TAG(AB16b32a2b) TAG(AB16b48a2b) TAG(AB16b64a2b) \
    TAG(ABc16b32a4b) TAG(ABc16b48a4b) TAG(ABc16b64a4b) TAG(ABc16b32a2b) \
    TAG(ABc16b48a2b) TAG(ABc16b64a2b) TAG(ABcd16b32a4b) TAG(ABcd16b48a4b) \
    TAG(ABcd16b64a4b) TAG(ABcd16b32a2b) TAG(ABcd16b48a2b) TAG(ABcd16b64a2b) \
    TAG(ABcde16b32a4b) TAG(ABcde16b48a4b) TAG(ABcde16b64a4b) \
    TAG(ABcde16b32a2b) TAG(ABcde16b48a2b) TAG(ABcde16b64a2b) TAG(ABc32a16b) \
    TAG(ABcd32a16b) TAG(ABcde32a16b) TAG(AB48a16b) TAG(AB48a32b) \
    TAG(ABc40a16b) TAG(ABc40a32b) TAG(aBC48b16c) TAG(aBC48b32c) \
    TAG(ABcd40a16b) TAG(ABcd40a32b) TAG(abCd32c) TAG(abdCe32c) TAG(abdCE32c2e) \
    TAG(BA16a16b2a) TAG(BA16a32b2a) TAG(BA16a48b2a) TAG(BA16a64b2a) \
    TAG(BA16a16b4a) TAG(BA16a32b4a) TAG(BA16a48b4a) TAG(BA16a64b4a) \
    TAG(ABcd8a2b) TAG(aBdeC16c16b2c) TAG(aBdeC16c16b4c) TAG(aBdefC16c16b2c) \
    TAG(AcB16b16a2b) TAG(AcB16b16a4b) TAG(AcdB16b16a2b) TAG(AcdB16b16a4b) \
    TAG(AcdeB16b16a2b) TAG(aBdefC16c16b4c) TAG(AcdeB16b16a4b) TAG(AcB16b32a2b) \
    TAG(AcB16b32a4b) TAG(AcB16b48a2b) TAG(AcB16b48a4b) TAG(AcB16b64a2b) \
    TAG(AcB16b64a4b) TAG(aBdC16c16b2c) TAG(aBdC16c16b4c) TAG(aBdC16c32b2c) \
    TAG(aBdC16c32b4c) TAG(aBdC16c48b2c) TAG(aBdC16c48b4c) TAG(aBdC16c64b2c) \
    TAG(aBdC16c64b4c) TAG(AcdB16b32a2b) TAG(AcdB16b32a4b) TAG(AcdB16b48a2b) \
    TAG(AcdB16b48a4b) TAG(AcdB16b64a2b) TAG(AcdB16b64a4b) TAG(aBdeC16c32b2c) \
    TAG(aBdeC16c32b4c) TAG(aBdeC16c48b2c) TAG(aBdeC16c48b4c) \
    TAG(aBdeC16c64b2c) TAG(aBdeC16c64b4c) TAG(AcdeB16b32a2b) \
    TAG(AcdeB16b32a4b) TAG(AcdeB16b48a2b) TAG(AcdeB16b48a4b) \
    TAG(AcdeB16b64a2b) TAG(AcdeB16b64a4b) TAG(aBdefC16c32b2c) \
    TAG(aBdefC16c32b4c) TAG(aBdefC16c48b2c) TAG(aBdefC16c48b4c) \
    TAG(aBdefC16c64b2c) TAG(aBdefC16c64b4c) TAG(decbA16a) TAG(ABc4a2b) \
    TAG(ABc8a2b) TAG(aBCd8b2c) TAG(ABcde4a2b) TAG(ABcde8a2b) TAG(ABcde40a16b) \
    TAG(ABcde40a32b) TAG(aBCde8b2c) TAG(ABcde4a8b8a2b) TAG(ABcd4a8b8a2b) \
    TAG(ABc4a8b8a2b) TAG(aBCdef4b8c8b2c) TAG(aBCde4b8c8b2c) TAG(aBCd4b8c8b2c) \
    TAG(BAcde4b8a8b2a) TAG(BAcd4b8a8b2a) TAG(BAc4b8a8b2a) TAG(aCBdef4c8b8c2b) \
    TAG(aCBde4c8b8c2b) TAG(aCBd4c8b8c2b) TAG(aBCdef8b2c) TAG(AB32a16b) \
    TAG(AB32a32b) TAG(BA4b8a8b2a) TAG(BA4b8a8b4a) TAG(aBC32b16c) \
    TAG(aBC32b32c) TAG(aCB4c8b8c2b) TAG(aCB4c8b8c4b) TAG(ABcd4a2b) \
    TAG(ABc2b8a16b4a) TAG(ABcd2b8a16b4a) TAG(ABcde2b8a16b4a) TAG(ABc2a8b16a4b) \
    TAG(ABc2a8b16a2b) TAG(ABc2b32a8b) TAG(ABcd2a8b16a4b) TAG(ABcd2a8b16a2b) \
    TAG(aCBd2c8b16c2b) TAG(ABcd2b32a8b) TAG(aBCd2c8b16c2b) TAG(ABcde2a8b16a4b) \
    TAG(ABcde2a8b16a2b) TAG(aCBde2c8b16c2b) TAG(ABcde2b32a8b) \
    TAG(aBC2b8c16b2c) TAG(aBCd2b8c16b2c) TAG(aBCde2b8c16b2c) \
    TAG(aBCdef2b8c16b2c) TAG(BAcde2b8a16b4a) TAG(BAcd2b8a16b4a) \
    TAG(BAc2b8a16b4a) TAG(BAcde2b8a16b2a) TAG(BAcd2b8a16b2a) TAG(BAc2b8a16b2a) \
    TAG(aBCde2c8b16c2b) TAG(aBCdef2c8b16c2b) TAG(aCBdef2c8b16c2b) \
    TAG(aBCd2b8c16b4c) TAG(aBCde2b8c16b4c) TAG(BA4b8a16b2a) TAG(BA4b8a16b4a) \
    TAG(aCB4c8b16c2b) TAG(aCB4c8b16c4b) TAG(BA16a16b) TAG(BA16a32b) \
    TAG(BA16a48b) TAG(BA16a64b) TAG(aCB16c2b) TAG(aCB16c4b) TAG(BA16b2a) \
    TAG(BA16b4a) TAG(aBC16b16c) TAG(aBC16b32c) TAG(AB16a16b) TAG(AB16a32b) \
    TAG(ABcde16a16b2a) TAG(aBCdef16b16c2b) TAG(Acedb16a) TAG(aBdfec16b) \
    TAG(abdEC64e2c) TAG(abdEC64e4c) TAG(aCB16b16c) TAG(aCB16b32c) \
    TAG(aCB16b48c) TAG(aCB16b64c) TAG(aCB16b16c2b) TAG(aCB16b32c2b) \
    TAG(aCB16b48c2b) TAG(aCB16b64c2b) TAG(aCB16b16c4b) TAG(aCB16b32c4b) \
    TAG(aCB16b48c4b) TAG(aCB16b64c4b) TAG(abCd4c) TAG(abCde4c) TAG(abCdef4c) \
    TAG(abCde32c) TAG(abCdef32c) TAG(ABcd16a32b) TAG(decbA8a) \
    TAG(aCdefB16b32c2b) TAG(aCdefB16b32c4b) TAG(aCdefB16b48c2b) \
    TAG(aCdefB16b48c4b) TAG(aCdefB16b64c2b) TAG(aCdefB16b64c4b) \
    TAG(BcdeA16a32b2a) TAG(BcdeA16a32b4a) TAG(BcdeA16a48b2a) \
    TAG(BcdeA16a48b4a) TAG(BcdeA16a64b2a) TAG(BcdeA16a64b4a) TAG(aCdefb32c) \
    TAG(aCdefB32c2b) TAG(aCdefB32c4b) TAG(aCdefb48c) TAG(aCdefB48c2b) \
    TAG(aCdefB48c4b) TAG(aCdefb64c) TAG(aCdefB64c2b) TAG(aCdefB64c4b) \
    TAG(Bcdea32b) TAG(BcdeA32b2a) TAG(BcdeA32b4a) TAG(Bcdea48b) \
    TAG(BcdeA48b2a) TAG(BcdeA48b4a) TAG(Bcdea64b) TAG(BcdeA64b2a) \
    TAG(BcdeA64b4a) TAG(Bca32b) TAG(BcA32b2a) TAG(BcA32b4a) TAG(Bca48b) \
    TAG(BcA48b2a) TAG(BcA48b4a) TAG(Bca64b) TAG(BcA64b2a) TAG(BcA64b4a) \
    TAG(aCdb32c) TAG(aCdB32c2b) TAG(aCdB32c4b) TAG(aCdb48c) TAG(aCdB48c2b) \
    TAG(aCdB48c4b) TAG(aCdb64c) TAG(aCdB64c2b) TAG(aCdB64c4b) TAG(BcA16a16b2a) \
    TAG(BcA16a16b4a) TAG(BcdA16a16b2a) TAG(BcdA16a16b4a) TAG(BcdeA16a16b2a) \
    TAG(BcdeA16a16b4a) TAG(aCdB16b16c2b) TAG(aCdB16b16c4b) TAG(aCdeB16b16c2b) \
    TAG(aCdeB16b16c4b) TAG(aCdefB16b16c2b) TAG(aCdefB16b16c4b) \
    TAG(BcA16a32b2a) TAG(BcA16a32b4a) TAG(BcA16a48b2a) TAG(BcA16a48b4a) \
    TAG(BcA16a64b2a) TAG(BcA16a64b4a) TAG(aCdB16b32c2b) TAG(aCdB16b32c4b) \
    TAG(aCdB16b48c2b) TAG(aCdB16b48c4b) TAG(aCdB16b64c2b) TAG(aCdB16b64c4b) \
    TAG(BcdA16a32b2a) TAG(BcdA16a32b4a) TAG(BcdA16a48b2a) TAG(BcdA16a48b4a) \
    TAG(BcdA16a64b2a) TAG(BcdA16a64b4a) TAG(aCdeB16b32c2b) TAG(aCdeB16b32c4b) \
    TAG(aCdeB16b48c2b) TAG(aCdeB16b48c4b) TAG(aCdeB16b64c2b) \
    TAG(aCdeB16b64c4b) TAG(Bca16b) TAG(BcA16b2a) TAG(BcA16b4a) TAG(Bcda16b) \
    TAG(BcdA16b2a) TAG(BcdA16b4a) TAG(Bcdea16b) TAG(BcdeA16b2a) \
    TAG(BcdeA16b4a) TAG(aCdb16c) TAG(aCdB16c2b) TAG(aCdB16c4b) TAG(aCdeb16c) \
    TAG(aCdeB16c2b) TAG(aCdeB16c4b) TAG(aCdefb16c) TAG(aCdefB16c2b) \
    TAG(aCdefB16c4b) TAG(Bcda32b) TAG(BcdA32b2a) TAG(BcdA32b4a) TAG(Bcda48b) \
    TAG(BcdA48b2a) TAG(BcdA48b4a) TAG(Bcda64b) TAG(BcdA64b2a) TAG(BcdA64b4a) \
    TAG(aCdeb32c) TAG(aCdeB32c2b) TAG(aCdeB32c4b) TAG(aCdeb48c) \
    TAG(aCdeB48c2b) TAG(aCdeB48c4b) TAG(aCdeb64c) TAG(aCdeB64c2b) \
    TAG(aCdeB64c4b) TAG(Acb24a) TAG(Acdb24a) TAG(Acdeb24a) TAG(aBdc24b) \
    TAG(aBdec24b) TAG(aBdefc24b) TAG(abDc16d) TAG(abdEc16e) TAG(abdCe16c) \
    TAG(AcB24a2b) TAG(AcdB24a2b) TAG(AcdeB24a2b) TAG(aBdC24b2c) \
    TAG(aBdeC24b2c) TAG(aBdefC24b2c) TAG(AcB8a2b) TAG(AcdB8a2b) TAG(AcdeB8a2b) \
    TAG(aBdC8b2c) TAG(aBdeC8b2c) TAG(aBdefC8b2c) TAG(AB8b32a) TAG(ABc8b32a) \
    TAG(ABcd8b32a) TAG(ABcde8b32a) TAG(AB8b24a) TAG(ABc8b24a) TAG(ABcd8b24a) \
    TAG(ABcde8b24a) TAG(AB8b16a) TAG(ABc8b16a) TAG(ABcd8b16a) TAG(ABcde8b16a) \
    TAG(AB8b8a) TAG(AB4b8a4b) TAG(AB4b24a4b) TAG(ABc4b8a4b) TAG(ABc4b24a4b) \
    TAG(ABcd4b8a4b) TAG(ABcd4b24a4b) TAG(ABcde4b8a4b) TAG(ABcde4b24a4b) \
    TAG(AB8b24a2b) TAG(ABc8b24a2b) TAG(ABcd8b24a2b) TAG(ABcde8b24a2b) \
    TAG(AB8b8a2b) TAG(ABc8b8a2b) TAG(ABcd8b8a2b) TAG(ABcde8b8a2b) \
    TAG(AcB24a4b) TAG(AcdB24a4b) TAG(AcdeB24a4b) TAG(aBdC24b4c) \
    TAG(aBdeC24b4c) TAG(aBdefC24b4c) TAG(AcB8a4b) TAG(AcdB8a4b) TAG(AcdeB8a4b) \
    TAG(aBdC8b4c) TAG(aBdeC8b4c) TAG(aBdefC8b4c) TAG(Bca8b) TAG(BcA8b2a) \
    TAG(Bcda8b) TAG(BcdA8b2a) TAG(Bcdea8b) TAG(BcdeA8b2a) TAG(aCdb8c) \
    TAG(aCdB8c2b) TAG(aCdeb8c) TAG(aCdeB8c2b) TAG(aCdefb8c) TAG(aCdefB8c2b) \
    TAG(Bca24b) TAG(BcA24b2a) TAG(Bcda24b) TAG(BcdA24b2a) TAG(Bcdea24b) \
    TAG(BcdeA24b2a) TAG(aCdb24c) TAG(aCdB24c2b) TAG(aCdeb24c) TAG(aCdeB24c2b) \
    TAG(aCdefb24c) TAG(aCdefB24c2b) TAG(BcA8b4a) TAG(BcdA8b4a) TAG(BcdeA8b4a) \
    TAG(aCdB8c4b) TAG(aCdeB8c4b) TAG(aCdefB8c4b) TAG(BcA24b4a) TAG(BcdA24b4a) \
    TAG(BcdeA24b4a) TAG(aCdB24c4b) TAG(aCdeB24c4b) TAG(aCdefB24c4b) \
    TAG(AB16b48a) TAG(ABc16b48a) TAG(ABcd16b48a) TAG(ABcde16b48a) \
    TAG(ABc16a4b) TAG(ABcd16a4b) TAG(ABcde16a4b) TAG(defcbA16a) TAG(defcbA8a) \
    TAG(AcB16b64a) TAG(AcdB16b64a) TAG(AcdeB16b64a) TAG(AcB16b48a) \
    TAG(AcdB16b48a) TAG(AcdeB16b48a) TAG(AcB16b32a) TAG(AcdB16b32a) \
    TAG(AcdeB16b32a) TAG(AcB16b16a) TAG(AcdB16b16a) TAG(AcdeB16b16a) \
    TAG(AcB8b32a) TAG(AcdB8b32a) TAG(AcdeB8b32a) TAG(AcB8b24a) TAG(AcdB8b24a) \
    TAG(AcdeB8b24a) TAG(AcB8b16a) TAG(AcdB8b16a) TAG(AcdeB8b16a) TAG(AcB8b8a) \
    TAG(AcdB8b8a) TAG(AcdeB8b8a) TAG(AcB8b64a2b) TAG(AcdB8b64a2b) \
    TAG(AcdeB8b64a2b) TAG(AcB8b32a2b) TAG(AcdB8b32a2b) TAG(AcdeB8b32a2b) \
    TAG(AcB8b24a2b) TAG(AcdB8b24a2b) TAG(AcdeB8b24a2b) TAG(AcB8b16a2b) \
    TAG(AcdB8b16a2b) TAG(AcdeB8b16a2b) TAG(AcB8b8a2b) TAG(AcdB8b8a2b) \
    TAG(AcdeB8b8a2b) TAG(AcB4b64a4b) TAG(AcdB4b64a4b) TAG(AcdeB4b64a4b) \
    TAG(AcB4b32a4b) TAG(AcdB4b32a4b) TAG(AcdeB4b32a4b) TAG(AcB4b24a4b) \
    TAG(AcdB4b24a4b) TAG(AcdeB4b24a4b) TAG(AcB4b16a4b) TAG(AcdB4b16a4b) \
    TAG(AcdeB4b16a4b) TAG(AcB4b8a4b) TAG(AcdB4b8a4b) TAG(AcdeB4b8a4b) \
    TAG(Ab4a) TAG(Ab8a) TAG(BA4b4a) TAG(BA8b4a) TAG(BA2a24b) TAG(aCB2b24c) \
    TAG(BA2a8b) TAG(aCB2b8c) TAG(BA8a24b) TAG(aCB8b24c) TAG(BA8a16b) \
    TAG(aCB8b16c) TAG(BA8a8b) TAG(aCB8b8c) TAG(bcad) TAG(cabd) TAG(dabc) \
    TAG(Ab32a) TAG(aCBd8b8c) TAG(aCBde8b8c) TAG(BAc8a8b) TAG(BAcd8a8b) \
    TAG(BAcde8a8b) TAG(aCBdef8b8c) TAG(abdEC16e4c) TAG(abDC16d4c) TAG(BA24b8a) \
    TAG(aCB24c8b) TAG(abDC24d8c)

#define DNNL_CACHE_FORMAT_TAG_ALIASES(ALIAS) \
    ALIAS(x, a) ALIAS(nc, ab) ALIAS(cn, ba) ALIAS(tn, ab) ALIAS(nt, ba) \
    ALIAS(ncw, abc) ALIAS(nwc, acb) ALIAS(nchw, abcd) ALIAS(nhwc, acdb) \
    ALIAS(chwn, bcda) ALIAS(ncdhw, abcde) ALIAS(ndhwc, acdeb) ALIAS(oi, ab) \
    ALIAS(io, ba) ALIAS(oiw, abc) ALIAS(owi, acb) ALIAS(wio, cba) \
    ALIAS(woi, cab) ALIAS(iwo, bca) ALIAS(oihw, abcd) ALIAS(hwio, cdba) \
    ALIAS(hwoi, cdab) ALIAS(ohwi, acdb) ALIAS(ihwo, bcda) ALIAS(iohw, bacd) \
    ALIAS(oidhw, abcde) ALIAS(iodhw, bacde) ALIAS(dhwio, cdeba) \
    ALIAS(dhwoi, cdeab) ALIAS(odhwi, acdeb) ALIAS(idhwo, bcdea) \
    ALIAS(goiw, abcd) ALIAS(gowi, abdc) ALIAS(wigo, dcab) ALIAS(goihw, abcde) \
    ALIAS(gohwi, abdec) ALIAS(hwigo, decab) ALIAS(giohw, acbde) \
    ALIAS(goidhw, abcdef) ALIAS(godhwi, abdefc) ALIAS(giodhw, acbdef) \
    ALIAS(dhwigo, defcab) ALIAS(tnc, abc) ALIAS(ntc, bac) ALIAS(ldnc, abcd) \
    ALIAS(ldigo, abcde) ALIAS(ldgoi, abdec) ALIAS(ldio, abcd) \
    ALIAS(ldoi, abdc) ALIAS(ldgo, abcd) ALIAS(ldOi16o, abDc16d) \
    ALIAS(ldOi32o, abDc32d) ALIAS(ldOI16o4i, abDC16d4c) \
    ALIAS(ldOI32o4i, abDC32d4c) ALIAS(ldIo32i, abCd32c) \
    ALIAS(ldgOi16o, abdEc16e) ALIAS(ldgOI16o4i, abdEC16e4c) \
    ALIAS(ldgOi32o, abdEc32e) ALIAS(ldgOI32o2i, abdEC32e2c) \
    ALIAS(ldgOI32o4i, abdEC32e4c) ALIAS(ldgOI64o2i, abdEC64e2c) \
    ALIAS(ldgOI64o4i, abdEC64e4c) ALIAS(ldgIo16i, abdCe16c) \
    ALIAS(ldgIo32i, abdCe32c) ALIAS(ldgIO32i2o, abdCE32c2e) \
    ALIAS(nCdhw32c, aBcde32b) ALIAS(nCdhw16c, aBcde16b) \
    ALIAS(nCdhw4c, aBcde4b) ALIAS(nCdhw8c, aBcde8b) ALIAS(nChw32c, aBcd32b) \
    ALIAS(nChw16c, aBcd16b) ALIAS(nChw4c, aBcd4b) ALIAS(nChw8c, aBcd8b) \
    ALIAS(nCw32c, aBc32b) ALIAS(nCw16c, aBc16b) ALIAS(nCw4c, aBc4b) \
    ALIAS(nCw8c, aBc8b) ALIAS(NCw16n16c, ABc16a16b) \
    ALIAS(NCdhw16n16c, ABcde16a16b) ALIAS(NChw16n16c, ABcd16a16b) \
    ALIAS(NCw32n16c, ABc32a16b) ALIAS(NChw32n16c, ABcd32a16b) \
    ALIAS(NChw16n32c, ABcd16a32b) ALIAS(NCdhw32n16c, ABcde32a16b) \
    ALIAS(NCw32n32c, ABc32a32b) ALIAS(NChw32n32c, ABcd32a32b) \
    ALIAS(NCdhw32n32c, ABcde32a32b) ALIAS(OI16i16o, AB16b16a) \
    ALIAS(OI16i32o, AB16b32a) ALIAS(OI16i48o, AB16b48a) \
    ALIAS(OI16i64o, AB16b64a) ALIAS(OI8i8o2i, AB8b8a2b) \
    ALIAS(OI8i16o2i, AB8b16a2b) ALIAS(OI8i24o2i, AB8b24a2b) \
    ALIAS(OI8i32o2i, AB8b32a2b) ALIAS(OI8i64o2i, AB8b64a2b) \
    ALIAS(OI4i8o4i, AB4b8a4b) ALIAS(OI4i16o4i, AB4b16a4b) \
    ALIAS(OI4i24o4i, AB4b24a4b) ALIAS(OI4i32o4i, AB4b32a4b) \
    ALIAS(OI4i64o4i, AB4b64a4b) ALIAS(OI16i16o4i, AB16b16a4b) \
    ALIAS(OI8i32o, AB8b32a) ALIAS(OI8i24o, AB8b24a) ALIAS(OI8i16o, AB8b16a) \
    ALIAS(OI8i8o, AB8b8a) ALIAS(IOw8o8i, BAc8a8b) ALIAS(IOw16o16i, BAc16a16b) \
    ALIAS(IOw16i16o, BAc16b16a) ALIAS(OIw16i16o, ABc16b16a) \
    ALIAS(OwI16i16o, AcB16b16a) ALIAS(OIw16i32o, ABc16b32a) \
    ALIAS(OwI16i32o, AcB16b32a) ALIAS(OIw16i48o, ABc16b48a) \
    ALIAS(OwI16i48o, AcB16b48a) ALIAS(OIw16i64o, ABc16b64a) \
    ALIAS(OwI16i64o, AcB16b64a) ALIAS(OIw16o16i, ABc16a16b) \
    ALIAS(Oiw16o, Abc16a) ALIAS(OIw4i8o4i, ABc4b8a4b) \
    ALIAS(OwI4i8o4i, AcB4b8a4b) ALIAS(OIw4i16o4i, ABc4b16a4b) \
    ALIAS(OwI4i16o4i, AcB4b16a4b) ALIAS(OIw4i24o4i, ABc4b24a4b) \
    ALIAS(OwI4i24o4i, AcB4b24a4b) ALIAS(OIw4i32o4i, ABc4b32a4b) \
    ALIAS(OwI4i32o4i, AcB4b32a4b) ALIAS(OIw4i64o4i, ABc4b64a4b) \
    ALIAS(OwI4i64o4i, AcB4b64a4b) ALIAS(OIw2i8o4i, ABc2b8a4b) \
    ALIAS(OIw16i16o4i, ABc16b16a4b) ALIAS(OIw16i16o2i, ABc16b16a2b) \
    ALIAS(OIw16o16i2o, ABc16a16b2a) ALIAS(OIw4i4o, ABc4b4a) \
    ALIAS(OIw4o4i, ABc4a4b) ALIAS(Oiw4o, Abc4a) ALIAS(OIw8i8o2i, ABc8b8a2b) \
    ALIAS(OwI8i8o2i, AcB8b8a2b) ALIAS(OIw8i16o2i, ABc8b16a2b) \
    ALIAS(OwI8i16o2i, AcB8b16a2b) ALIAS(OIw8i24o2i, ABc8b24a2b) \
    ALIAS(OwI8i24o2i, AcB8b24a2b) ALIAS(OIw8i32o2i, ABc8b32a2b) \
    ALIAS(OwI8i32o2i, AcB8b32a2b) ALIAS(OIw8i64o2i, ABc8b64a2b) \
    ALIAS(OwI8i64o2i, AcB8b64a2b) ALIAS(OIw8i8o, ABc8b8a) \
    ALIAS(OwI8i8o, AcB8b8a) ALIAS(OIw8o16i2o, ABc8a16b2a) \
    ALIAS(IOw8o16i2o, BAc8a16b2a) ALIAS(OIw8o8i, ABc8a8b) \
    ALIAS(OIw8o4i, ABc8a4b) ALIAS(Owi16o, Acb16a) ALIAS(OwI16o2i, AcB16a2b) \
    ALIAS(OwI16o4i, AcB16a4b) ALIAS(Iwo8i, Bca8b) ALIAS(IwO8i2o, BcA8b2a) \
    ALIAS(IwO8i4o, BcA8b4a) ALIAS(Iwo16i, Bca16b) ALIAS(IwO16i2o, BcA16b2a) \
    ALIAS(IwO16i4o, BcA16b4a) ALIAS(Iwo24i, Bca24b) ALIAS(IwO24i2o, BcA24b2a) \
    ALIAS(IwO24i4o, BcA24b4a) ALIAS(Owi4o, Acb4a) ALIAS(Owi8o, Acb8a) \
    ALIAS(OwI8o2i, AcB8a2b) ALIAS(OIw8i32o, ABc8b32a) \
    ALIAS(OwI8i32o, AcB8b32a) ALIAS(OIw8i24o, ABc8b24a) \
    ALIAS(OwI8i24o, AcB8b24a) ALIAS(OIw8i16o, ABc8b16a) \
    ALIAS(OwI8i16o, AcB8b16a) ALIAS(OwI8o4i, AcB8a4b) \
    ALIAS(IOhw16i16o, BAcd16b16a) ALIAS(IOhw8o8i, BAcd8a8b) \
    ALIAS(IOhw16o16i, BAcd16a16b) ALIAS(Ohwi16o, Acdb16a) \
    ALIAS(OhwI16o2i, AcdB16a2b) ALIAS(OhwI16o4i, AcdB16a4b) \
    ALIAS(Ihwo8i, Bcda8b) ALIAS(IhwO8i2o, BcdA8b2a) ALIAS(IhwO8i4o, BcdA8b4a) \
    ALIAS(Ihwo16i, Bcda16b) ALIAS(IhwO16i2o, BcdA16b2a) \
    ALIAS(IhwO16i4o, BcdA16b4a) ALIAS(Ihwo24i, Bcda24b) \
    ALIAS(IhwO24i2o, BcdA24b2a) ALIAS(IhwO24i4o, BcdA24b4a) \
    ALIAS(Ohwi24o, Acdb24a) ALIAS(Ohwi32o, Acdb32a) ALIAS(Ohwi4o, Acdb4a) \
    ALIAS(Ohwi8o, Acdb8a) ALIAS(OhwI8o2i, AcdB8a2b) ALIAS(OhwI8o4i, AcdB8a4b) \
    ALIAS(OIhw16i16o, ABcd16b16a) ALIAS(OhwI16i16o, AcdB16b16a) \
    ALIAS(OIhw16i32o, ABcd16b32a) ALIAS(OhwI16i32o, AcdB16b32a) \
    ALIAS(OIhw16i48o, ABcd16b48a) ALIAS(OhwI16i48o, AcdB16b48a) \
    ALIAS(OIhw16i64o, ABcd16b64a) ALIAS(OhwI16i64o, AcdB16b64a) \
    ALIAS(OIhw16o16i, ABcd16a16b) ALIAS(Oihw16o, Abcd16a) \
    ALIAS(OIhw4i8o4i, ABcd4b8a4b) ALIAS(OhwI4i8o4i, AcdB4b8a4b) \
    ALIAS(OIhw4i16o4i, ABcd4b16a4b) ALIAS(OhwI4i16o4i, AcdB4b16a4b) \
    ALIAS(OIhw4i24o4i, ABcd4b24a4b) ALIAS(OhwI4i24o4i, AcdB4b24a4b) \
    ALIAS(OIhw4i32o4i, ABcd4b32a4b) ALIAS(OhwI4i32o4i, AcdB4b32a4b) \
    ALIAS(OIhw4i64o4i, ABcd4b64a4b) ALIAS(OhwI4i64o4i, AcdB4b64a4b) \
    ALIAS(OIhw16i16o4i, ABcd16b16a4b) ALIAS(OIhw16i16o2i, ABcd16b16a2b) \
    ALIAS(OIhw16o16i2o, ABcd16a16b2a) ALIAS(OIhw4i4o, ABcd4b4a) \
    ALIAS(OIhw4o4i, ABcd4a4b) ALIAS(Oihw4o, Abcd4a) \
    ALIAS(OIhw8i8o2i, ABcd8b8a2b) ALIAS(OhwI8i8o2i, AcdB8b8a2b) \
    ALIAS(OIhw8i16o2i, ABcd8b16a2b) ALIAS(OhwI8i16o2i, AcdB8b16a2b) \
    ALIAS(OIhw8i32o2i, ABcd8b32a2b) ALIAS(OhwI8i32o2i, AcdB8b32a2b) \
    ALIAS(OIhw8i24o2i, ABcd8b24a2b) ALIAS(OhwI8i24o2i, AcdB8b24a2b) \
    ALIAS(OIhw8i64o2i, ABcd8b64a2b) ALIAS(OhwI8i64o2i, AcdB8b64a2b) \
    ALIAS(OIhw8i8o, ABcd8b8a) ALIAS(OhwI8i8o, AcdB8b8a) \
    ALIAS(OIhw8o16i2o, ABcd8a16b2a) ALIAS(OIhw2i8o4i, ABcd2b8a4b) \
    ALIAS(IOhw8o16i2o, BAcd8a16b2a) ALIAS(OIhw8o8i, ABcd8a8b) \
    ALIAS(OIhw8o4i, ABcd8a4b) ALIAS(Owhi16o, Adcb16a) \
    ALIAS(OIhw8i32o, ABcd8b32a) ALIAS(OhwI8i32o, AcdB8b32a) \
    ALIAS(OIhw8i24o, ABcd8b24a) ALIAS(OhwI8i24o, AcdB8b24a) \
    ALIAS(OIhw8i16o, ABcd8b16a) ALIAS(OhwI8i16o, AcdB8b16a) \
    ALIAS(Odhwi16o, Acdeb16a) ALIAS(OdhwI16o2i, AcdeB16a2b) \
    ALIAS(OdhwI16o4i, AcdeB16a4b) ALIAS(Idhwo8i, Bcdea8b) \
    ALIAS(IdhwO8i2o, BcdeA8b2a) ALIAS(IdhwO8i4o, BcdeA8b4a) \
    ALIAS(Idhwo16i, Bcdea16b) ALIAS(IdhwO16i2o, BcdeA16b2a) \
    ALIAS(IdhwO16i4o, BcdeA16b4a) ALIAS(Idhwo24i, Bcdea24b) \
    ALIAS(IdhwO24i2o, BcdeA24b2a) ALIAS(IdhwO24i4o, BcdeA24b4a) \
    ALIAS(Odhwi4o, Acdeb4a) ALIAS(Odhwi8o, Acdeb8a) \
    ALIAS(OdhwI8o2i, AcdeB8a2b) ALIAS(OdhwI8o4i, AcdeB8a4b) \
    ALIAS(Odwhi16o, Acedb16a) ALIAS(OIdhw16i16o, ABcde16b16a) \
    ALIAS(OdhwI16i16o, AcdeB16b16a) ALIAS(OIdhw16i32o, ABcde16b32a) \
    ALIAS(OdhwI16i32o, AcdeB16b32a) ALIAS(OIdhw16i48o, ABcde16b48a) \
    ALIAS(OdhwI16i48o, AcdeB16b48a) ALIAS(OIdhw16i64o, ABcde16b64a) \
    ALIAS(OdhwI16i64o, AcdeB16b64a) ALIAS(OIdhw16o16i, ABcde16a16b) \
    ALIAS(Oidhw16o, Abcde16a) ALIAS(OIdhw4i4o, ABcde4b4a) \
    ALIAS(OIdhw4o4i, ABcde4a4b) ALIAS(Oidhw4o, Abcde4a) \
    ALIAS(OIdhw8i8o2i, ABcde8b8a2b) ALIAS(OdhwI8i8o2i, AcdeB8b8a2b) \
    ALIAS(OIdhw8i16o2i, ABcde8b16a2b) ALIAS(OdhwI8i16o2i, AcdeB8b16a2b) \
    ALIAS(OIdhw8i32o2i, ABcde8b32a2b) ALIAS(OdhwI8i32o2i, AcdeB8b32a2b) \
    ALIAS(OIdhw8i24o2i, ABcde8b24a2b) ALIAS(OdhwI8i24o2i, AcdeB8b24a2b) \
    ALIAS(OIdhw8i64o2i, ABcde8b64a2b) ALIAS(OdhwI8i64o2i, AcdeB8b64a2b) \
    ALIAS(OIdhw8i8o, ABcde8b8a) ALIAS(OdhwI8i8o, AcdeB8b8a) \
    ALIAS(OIdhw8o16i2o, ABcde8a16b2a) ALIAS(IOdhw8o16i2o, BAcde8a16b2a) \
    ALIAS(OIdhw4i8o4i, ABcde4b8a4b) ALIAS(OdhwI4i8o4i, AcdeB4b8a4b) \
    ALIAS(OIdhw4i16o4i, ABcde4b16a4b) ALIAS(OdhwI4i16o4i, AcdeB4b16a4b) \
    ALIAS(OIdhw4i24o4i, ABcde4b24a4b) ALIAS(OdhwI4i24o4i, AcdeB4b24a4b) \
    ALIAS(OIdhw4i32o4i, ABcde4b32a4b) ALIAS(OdhwI4i32o4i, AcdeB4b32a4b) \
    ALIAS(OIdhw4i64o4i, ABcde4b64a4b) ALIAS(OdhwI4i64o4i, AcdeB4b64a4b) \
    ALIAS(OIdhw16i16o4i, ABcde16b16a4b) ALIAS(OIdhw16i16o2i, ABcde16b16a2b) \
    ALIAS(OIdhw2i8o4i, ABcde2b8a4b) ALIAS(OIdhw8o8i, ABcde8a8b) \
    ALIAS(OIdhw8o4i, ABcde8a4b) ALIAS(IOdhw16i16o, BAcde16b16a) \
    ALIAS(OIdhw4o8i8o4i, ABcde4a8b8a4b) ALIAS(IOdhw8o8i, BAcde8a8b) \
    ALIAS(IOdhw16o16i, BAcde16a16b) ALIAS(OIdhw16o16i2o, ABcde16a16b2a) \
    ALIAS(OIdhw8i32o, ABcde8b32a) ALIAS(OdhwI8i32o, AcdeB8b32a) \
    ALIAS(OIdhw8i24o, ABcde8b24a) ALIAS(OdhwI8i24o, AcdeB8b24a) \
    ALIAS(OIdhw8i16o, ABcde8b16a) ALIAS(OdhwI8i16o, AcdeB8b16a) \
    ALIAS(Goiw16g, Abcd16a) ALIAS(Goiw8g, Abcd8a) ALIAS(Goiw4g, Abcd4a) \
    ALIAS(gIOw8o8i, aCBd8b8c) ALIAS(gIOw16o16i, aCBd16b16c) \
    ALIAS(gIOw16i16o, aCBd16c16b) ALIAS(gOIw16i16o, aBCd16c16b) \
    ALIAS(gOIw16o16i, aBCd16b16c) ALIAS(gOiw16o, aBcd16b) \
    ALIAS(gOIw4i16o4i, aBCd4c16b4c) ALIAS(gOIw2i8o4i, aBCd2c8b4c) \
    ALIAS(gOIw16i16o4i, aBCd16c16b4c) ALIAS(gOIw16i16o2i, aBCd16c16b2c) \
    ALIAS(gOIw16o16i2o, aBCd16b16c2b) ALIAS(gOIw4i4o, aBCd4c4b) \
    ALIAS(gOIw4o4i, aBCd4b4c) ALIAS(gOiw4o, aBcd4b) \
    ALIAS(gOIw8i16o2i, aBCd8c16b2c) ALIAS(gOIw8i8o, aBCd8c8b) \
    ALIAS(gOIw8o16i2o, aBCd8b16c2b) ALIAS(gIOw8o16i2o, aCBd8b16c2b) \
    ALIAS(gOIw8o8i, aBCd8b8c) ALIAS(gOIw8o4i, aBCd8b4c) \
    ALIAS(gOwi16o, aBdc16b) ALIAS(gOwI16o2i, aBdC16b2c) \
    ALIAS(gOwI16o4i, aBdC16b4c) ALIAS(gIwo8i, aCdb8c) \
    ALIAS(gIwO8i2o, aCdB8c2b) ALIAS(gIwO8i4o, aCdB8c4b) \
    ALIAS(gIwo16i, aCdb16c) ALIAS(gIwO16i2o, aCdB16c2b) \
    ALIAS(gIwO16i4o, aCdB16c4b) ALIAS(gIwo24i, aCdb24c) \
    ALIAS(gIwO24i2o, aCdB24c2b) ALIAS(gIwO24i4o, aCdB24c4b) \
    ALIAS(gOwi4o, aBdc4b) ALIAS(gOwi8o, aBdc8b) ALIAS(gOwI8o2i, aBdC8b2c) \
    ALIAS(gOwI8o4i, aBdC8b4c) ALIAS(Goiw32g, Abcd32a) \
    ALIAS(gOIw2i4o2i, aBCd2c4b2c) ALIAS(gOIw2o4i2o, aBCd2b4c2b) \
    ALIAS(gOIw4i8o2i, aBCd4c8b2c) ALIAS(gOIw4o8i2o, aBCd4b8c2b) \
    ALIAS(goIw4i, abCd4c) ALIAS(goIw32i, abCd32c) \
    ALIAS(gIOhw16i16o, aCBde16c16b) ALIAS(gIOhw8o8i, aCBde8b8c) \
    ALIAS(gIOhw16o16i, aCBde16b16c) ALIAS(gOhwi16o, aBdec16b) \
    ALIAS(gOhwI16o2i, aBdeC16b2c) ALIAS(gOhwI16o4i, aBdeC16b4c) \
    ALIAS(gIhwo8i, aCdeb8c) ALIAS(gIhwO8i2o, aCdeB8c2b) \
    ALIAS(gIhwO8i4o, aCdeB8c4b) ALIAS(gIhwo16i, aCdeb16c) \
    ALIAS(gIhwO16i2o, aCdeB16c2b) ALIAS(gIhwO16i4o, aCdeB16c4b) \
    ALIAS(gIhwo24i, aCdeb24c) ALIAS(gIhwO24i2o, aCdeB24c2b) \
    ALIAS(gIhwO24i4o, aCdeB24c4b) ALIAS(gOhwi32o, aBdec32b) \
    ALIAS(gOhwi24o, aBdec24b) ALIAS(gOhwI24o2i, aBdeC24b2c) \
    ALIAS(gOhwI24o4i, aBdeC24b4c) ALIAS(gOhwi4o, aBdec4b) \
    ALIAS(gOhwi8o, aBdec8b) ALIAS(gOhwI8o2i, aBdeC8b2c) \
    ALIAS(gOhwI8o4i, aBdeC8b4c) ALIAS(Goihw16g, Abcde16a) \
    ALIAS(gOIhw16i16o, aBCde16c16b) ALIAS(gOIhw16o16i, aBCde16b16c) \
    ALIAS(gOihw16o, aBcde16b) ALIAS(gOIhw2i8o4i, aBCde2c8b4c) \
    ALIAS(gOIhw4i16o4i, aBCde4c16b4c) ALIAS(gOIhw16i16o4i, aBCde16c16b4c) \
    ALIAS(gOIhw16i16o2i, aBCde16c16b2c) ALIAS(gOIhw16o16i2o, aBCde16b16c2b) \
    ALIAS(gOIhw4i4o, aBCde4c4b) ALIAS(gOIhw4o4i, aBCde4b4c) \
    ALIAS(gOihw4o, aBcde4b) ALIAS(Goihw8g, Abcde8a) ALIAS(Goihw4g, Abcde4a) \
    ALIAS(gOIhw8i16o2i, aBCde8c16b2c) ALIAS(gOIhw8i8o, aBCde8c8b) \
    ALIAS(gOIhw8o16i2o, aBCde8b16c2b) ALIAS(gIOhw8o16i2o, aCBde8b16c2b) \
    ALIAS(gOIhw8o8i, aBCde8b8c) ALIAS(gOIhw8o4i, aBCde8b4c) \
    ALIAS(Goihw32g, Abcde32a) ALIAS(gOwhi16o, aBedc16b) \
    ALIAS(goIhw4i, abCde4c) ALIAS(goIhw32i, abCde32c) \
    ALIAS(OIw4o8i8o4i, ABc4a8b8a4b) ALIAS(OIhw4o8i8o4i, ABcd4a8b8a4b) \
    ALIAS(IOw4i8o8i4o, BAc4b8a8b4a) ALIAS(IOhw4i8o8i4o, BAcd4b8a8b4a) \
    ALIAS(IOdhw4i8o8i4o, BAcde4b8a8b4a) ALIAS(OIhw2o8i8o2i, ABcd2a8b8a2b) \
    ALIAS(gOIw4o8i8o4i, aBCd4b8c8b4c) ALIAS(gOIhw4o8i8o4i, aBCde4b8c8b4c) \
    ALIAS(gOIdhw4o8i8o4i, aBCdef4b8c8b4c) ALIAS(gIOw4i8o8i4o, aCBd4c8b8c4b) \
    ALIAS(gIOhw4i8o8i4o, aCBde4c8b8c4b) ALIAS(gIOdhw4i8o8i4o, aCBdef4c8b8c4b) \
    ALIAS(gOIhw2o8i8o2i, aBCde2b8c8b2c) ALIAS(gOIhw2i4o2i, aBCde2c4b2c) \
    ALIAS(gOIhw2o4i2o, aBCde2b4c2b) ALIAS(gOIhw4i8o2i, aBCde4c8b2c) \
    ALIAS(gOIhw4o8i2o, aBCde4b8c2b) ALIAS(gIOdhw16i16o, aCBdef16c16b) \
    ALIAS(gIOdhw8o8i, aCBdef8b8c) ALIAS(gIOdhw16o16i, aCBdef16b16c) \
    ALIAS(gOdhwi16o, aBdefc16b) ALIAS(gOdhwI16o2i, aBdefC16b2c) \
    ALIAS(gOdhwI16o4i, aBdefC16b4c) ALIAS(gIdhwo8i, aCdefb8c) \
    ALIAS(gIdhwO8i2o, aCdefB8c2b) ALIAS(gIdhwO8i4o, aCdefB8c4b) \
    ALIAS(gIdhwo16i, aCdefb16c) ALIAS(gIdhwO16i2o, aCdefB16c2b) \
    ALIAS(gIdhwO16i4o, aCdefB16c4b) ALIAS(gIdhwo24i, aCdefb24c) \
    ALIAS(gIdhwO24i2o, aCdefB24c2b) ALIAS(gIdhwO24i4o, aCdefB24c4b) \
    ALIAS(gOdhwi4o, aBdefc4b) ALIAS(gOdhwi8o, aBdefc8b) \
    ALIAS(gOdhwI8o2i, aBdefC8b2c) ALIAS(gOdhwI8o4i, aBdefC8b4c) \
    ALIAS(gOdwhi16o, aBdfec16b) ALIAS(gOIdhw16i16o, aBCdef16c16b) \
    ALIAS(gOIdhw4i16o4i, aBCdef4c16b4c) ALIAS(gOIdhw16i16o4i, aBCdef16c16b4c) \
    ALIAS(gOIdhw2i8o4i, aBCdef2c8b4c) ALIAS(gOIdhw16i16o2i, aBCdef16c16b2c) \
    ALIAS(gOIdhw16o16i, aBCdef16b16c) ALIAS(gOIdhw16o16i2o, aBCdef16b16c2b) \
    ALIAS(gOidhw16o, aBcdef16b) ALIAS(gOIdhw4i4o, aBCdef4c4b) \
    ALIAS(gOIdhw4o4i, aBCdef4b4c) ALIAS(gOidhw4o, aBcdef4b) \
    ALIAS(gOIdhw8i16o2i, aBCdef8c16b2c) ALIAS(gOIdhw8i8o, aBCdef8c8b) \
    ALIAS(gOIdhw8o16i2o, aBCdef8b16c2b) ALIAS(gIOdhw8o16i2o, aCBdef8b16c2b) \
    ALIAS(gOIdhw8o8i, aBCdef8b8c) ALIAS(gOIdhw8o4i, aBCdef8b4c) \
    ALIAS(Goidhw16g, Abcdef16a) ALIAS(Goidhw32g, Abcdef32a) \
    ALIAS(gOIdhw2i4o2i, aBCdef2c4b2c) ALIAS(gOIdhw4i8o2i, aBCdef4c8b2c) \
    ALIAS(gOIdhw2o4i2o, aBCdef2b4c2b) ALIAS(gOIdhw4o8i2o, aBCdef4b8c2b) \
    ALIAS(goIdhw4i, abCdef4c) ALIAS(goIdhw32i, abCdef32c) \
    ALIAS(Owi24o, Acb24a) ALIAS(OwI24o2i, AcB24a2b) ALIAS(OwI24o4i, AcB24a4b) \
    ALIAS(Owi32o, Acb32a) ALIAS(OwI32o2i, AcB32a2b) ALIAS(OwI32o4i, AcB32a4b) \
    ALIAS(Owi48o, Acb48a) ALIAS(OwI48o2i, AcB48a2b) ALIAS(OwI48o4i, AcB48a4b) \
    ALIAS(Owi64o, Acb64a) ALIAS(OwI64o2i, AcB64a2b) ALIAS(OwI64o4i, AcB64a4b) \
    ALIAS(Iwo32i, Bca32b) ALIAS(IwO32i2o, BcA32b2a) ALIAS(IwO32i4o, BcA32b4a) \
    ALIAS(Iwo48i, Bca48b) ALIAS(IwO48i2o, BcA48b2a) ALIAS(IwO48i4o, BcA48b4a) \
    ALIAS(Iwo64i, Bca64b) ALIAS(IwO64i2o, BcA64b2a) ALIAS(IwO64i4o, BcA64b4a) \
    ALIAS(wIo2i, cBa2b) ALIAS(wIo4i, cBa4b) ALIAS(gOwi24o, aBdc24b) \
    ALIAS(gOwI24o2i, aBdC24b2c) ALIAS(gOwI24o4i, aBdC24b4c) \
    ALIAS(gOwi32o, aBdc32b) ALIAS(gOwI32o2i, aBdC32b2c) \
    ALIAS(gOwI32o4i, aBdC32b4c) ALIAS(gOwi48o, aBdc48b) \
    ALIAS(gOwI48o2i, aBdC48b2c) ALIAS(gOwI48o4i, aBdC48b4c) \
    ALIAS(gOwi64o, aBdc64b) ALIAS(gOwI64o2i, aBdC64b2c) \
    ALIAS(gOwI64o4i, aBdC64b4c) ALIAS(gIwo32i, aCdb32c) \
    ALIAS(gIwO32i2o, aCdB32c2b) ALIAS(gIwO32i4o, aCdB32c4b) \
    ALIAS(gIwo48i, aCdb48c) ALIAS(gIwO48i2o, aCdB48c2b) \
    ALIAS(gIwO48i4o, aCdB48c4b) ALIAS(gIwo64i, aCdb64c) \
    ALIAS(gIwO64i2o, aCdB64c2b) ALIAS(gIwO64i4o, aCdB64c4b) ALIAS(gwio, adcb) \
    ALIAS(gwIo2i, adCb2c) ALIAS(gwIo4i, adCb4c) ALIAS(OhwI24o, Acdb24a) \
    ALIAS(OhwI24o2i, AcdB24a2b) ALIAS(OhwI24o4i, AcdB24a4b) \
    ALIAS(OhwI32o, Acdb32a) ALIAS(OhwI32o2i, AcdB32a2b) \
    ALIAS(OhwI32o4i, AcdB32a4b) ALIAS(Ohwi48o, Acdb48a) \
    ALIAS(OhwI48o2i, AcdB48a2b) ALIAS(OhwI48o4i, AcdB48a4b) \
    ALIAS(Ohwi64o, Acdb64a) ALIAS(OhwI64o2i, AcdB64a2b) \
    ALIAS(OhwI64o4i, AcdB64a4b) ALIAS(Ihwo32i, Bcda32b) \
    ALIAS(IhwO32i2o, BcdA32b2a) ALIAS(IhwO32i4o, BcdA32b4a) \
    ALIAS(Ihwo48i, Bcda48b) ALIAS(IhwO48i2o, BcdA48b2a) \
    ALIAS(IhwO48i4o, BcdA48b4a) ALIAS(Ihwo64i, Bcda64b) \
    ALIAS(IhwO64i2o, BcdA64b2a) ALIAS(IhwO64i4o, BcdA64b4a) \
    ALIAS(hwIo2i, cdBa2b) ALIAS(hwIo4i, cdBa4b) ALIAS(gOhwI24o, aBdec24b) \
    ALIAS(gOhwI32o, aBdec32b) ALIAS(gOhwI32o2i, aBdeC32b2c) \
    ALIAS(gOhwI32o4i, aBdeC32b4c) ALIAS(gOhwi48o, aBdec48b) \
    ALIAS(gOhwI48o2i, aBdeC48b2c) ALIAS(gOhwI48o4i, aBdeC48b4c) \
    ALIAS(gOhwi64o, aBdec64b) ALIAS(gOhwI64o2i, aBdeC64b2c) \
    ALIAS(gOhwI64o4i, aBdeC64b4c) ALIAS(gIhwo32i, aCdeb32c) \
    ALIAS(gIhwO32i2o, aCdeB32c2b) ALIAS(gIhwO32i4o, aCdeB32c4b) \
    ALIAS(gIhwo48i, aCdeb48c) ALIAS(gIhwO48i2o, aCdeB48c2b) \
    ALIAS(gIhwO48i4o, aCdeB48c4b) ALIAS(gIhwo64i, aCdeb64c) \
    ALIAS(gIhwO64i2o, aCdeB64c2b) ALIAS(gIhwO64i4o, aCdeB64c4b) \
    ALIAS(ghwio, adecb) ALIAS(ghwIo2i, adeCb2c) ALIAS(ghwIo4i, adeCb4c) \
    ALIAS(Odhwi24o, Acdeb24a) ALIAS(OdhwI24o2i, AcdeB24a2b) \
    ALIAS(OdhwI24o4i, AcdeB24a4b) ALIAS(Odhwi32o, Acdeb32a) \
    ALIAS(OdhwI32o2i, AcdeB32a2b) ALIAS(OdhwI32o4i, AcdeB32a4b) \
    ALIAS(Odhwi48o, Acdeb48a) ALIAS(OdhwI48o2i, AcdeB48a2b) \
    ALIAS(OdhwI48o4i, AcdeB48a4b) ALIAS(Odhwi64o, Acdeb64a) \
    ALIAS(OdhwI64o2i, AcdeB64a2b) ALIAS(OdhwI64o4i, AcdeB64a4b) \
    ALIAS(Idhwo32i, Bcdea32b) ALIAS(IdhwO32i2o, BcdeA32b2a) \
    ALIAS(IdhwO32i4o, BcdeA32b4a) ALIAS(Idhwo48i, Bcdea48b) \
    ALIAS(IdhwO48i2o, BcdeA48b2a) ALIAS(IdhwO48i4o, BcdeA48b4a) \
    ALIAS(Idhwo64i, Bcdea64b) ALIAS(IdhwO64i2o, BcdeA64b2a) \
    ALIAS(IdhwO64i4o, BcdeA64b4a) ALIAS(dhwIo2i, cdeBa2b) \
    ALIAS(dhwIo4i, cdeBa4b) ALIAS(gOdhwi24o, aBdefc24b) \
    ALIAS(gOdhwI24o2i, aBdefC24b2c) ALIAS(gOdhwI24o4i, aBdefC24b4c) \
    ALIAS(gOdhwi32o, aBdefc32b) ALIAS(gOdhwI32o2i, aBdefC32b2c) \
    ALIAS(gOdhwI32o4i, aBdefC32b4c) ALIAS(gOdhwi48o, aBdefc48b) \
    ALIAS(gOdhwI48o2i, aBdefC48b2c) ALIAS(gOdhwI48o4i, aBdefC48b4c) \
    ALIAS(gOdhwi64o, aBdefc64b) ALIAS(gOdhwI64o2i, aBdefC64b2c) \
    ALIAS(gOdhwI64o4i, aBdefC64b4c) ALIAS(gIdhwo32i, aCdefb32c) \
    ALIAS(gIdhwO32i2o, aCdefB32c2b) ALIAS(gIdhwO32i4o, aCdefB32c4b) \
    ALIAS(gIdhwo48i, aCdefb48c) ALIAS(gIdhwO48i2o, aCdefB48c2b) \
    ALIAS(gIdhwO48i4o, aCdefB48c4b) ALIAS(gIdhwo64i, aCdefb64c) \
    ALIAS(gIdhwO64i2o, aCdefB64c2b) ALIAS(gIdhwO64i4o, aCdefB64c4b) \
    ALIAS(gdhwio, adefcb) ALIAS(gdhwIo2i, adefCb2c) ALIAS(gdhwIo4i, adefCb4c) \
    ALIAS(OI16i32o4i, AB16b32a4b) ALIAS(OI16i48o4i, AB16b48a4b) \
    ALIAS(OI16i64o4i, AB16b64a4b) ALIAS(OI16i16o2i, AB16b16a2b) \
    ALIAS(OI16i32o2i, AB16b32a2b) ALIAS(OI16i48o2i, AB16b48a2b) \
    ALIAS(OI16i64o2i, AB16b64a2b) ALIAS(OIw16i32o4i, ABc16b32a4b) \
    ALIAS(OIw16i48o4i, ABc16b48a4b) ALIAS(OIw16i64o4i, ABc16b64a4b) \
    ALIAS(OIw16i32o2i, ABc16b32a2b) ALIAS(OIw16i48o2i, ABc16b48a2b) \
    ALIAS(OIw16i64o2i, ABc16b64a2b) ALIAS(OIhw16i32o4i, ABcd16b32a4b) \
    ALIAS(OIhw16i48o4i, ABcd16b48a4b) ALIAS(OIhw16i64o4i, ABcd16b64a4b) \
    ALIAS(OIhw16i32o2i, ABcd16b32a2b) ALIAS(OIhw16i48o2i, ABcd16b48a2b) \
    ALIAS(OIhw16i64o2i, ABcd16b64a2b) ALIAS(OIdhw16i32o4i, ABcde16b32a4b) \
    ALIAS(OIdhw16i48o4i, ABcde16b48a4b) ALIAS(OIdhw16i64o4i, ABcde16b64a4b) \
    ALIAS(OIdhw16i32o2i, ABcde16b32a2b) ALIAS(OIdhw16i48o2i, ABcde16b48a2b) \
    ALIAS(OIdhw16i64o2i, ABcde16b64a2b) ALIAS(OwI16i16o2i, AcB16b16a2b) \
    ALIAS(OwI16i16o4i, AcB16b16a4b) ALIAS(OhwI16i16o2i, AcdB16b16a2b) \
    ALIAS(OhwI16i16o4i, AcdB16b16a4b) ALIAS(OdhwI16i16o2i, AcdeB16b16a2b) \
    ALIAS(OdhwI16i16o4i, AcdeB16b16a4b) ALIAS(IwO16o16i2o, BcA16a16b2a) \
    ALIAS(IwO16o16i4o, BcA16a16b4a) ALIAS(IhwO16o16i2o, BcdA16a16b2a) \
    ALIAS(IhwO16o16i4o, BcdA16a16b4a) ALIAS(IdhwO16o16i2o, BcdeA16a16b2a) \
    ALIAS(IdhwO16o16i4o, BcdeA16a16b4a) ALIAS(gOwI16i16o2i, aBdC16c16b2c) \
    ALIAS(gOwI16i16o4i, aBdC16c16b4c) ALIAS(gOhwI16i16o2i, aBdeC16c16b2c) \
    ALIAS(gOhwI16i16o4i, aBdeC16c16b4c) ALIAS(gOdhwI16i16o2i, aBdefC16c16b2c) \
    ALIAS(gOdhwI16i16o4i, aBdefC16c16b4c) ALIAS(gIwO16o16i2o, aCdB16b16c2b) \
    ALIAS(gIwO16o16i4o, aCdB16b16c4b) ALIAS(gIhwO16o16i2o, aCdeB16b16c2b) \
    ALIAS(gIhwO16o16i4o, aCdeB16b16c4b) ALIAS(gIdhwO16o16i2o, aCdefB16b16c2b) \
    ALIAS(gIdhwO16o16i4o, aCdefB16b16c4b) ALIAS(OwI16i32o2i, AcB16b32a2b) \
    ALIAS(OwI16i32o4i, AcB16b32a4b) ALIAS(OwI16i48o2i, AcB16b48a2b) \
    ALIAS(OwI16i48o4i, AcB16b48a4b) ALIAS(OwI16i64o2i, AcB16b64a2b) \
    ALIAS(OwI16i64o4i, AcB16b64a4b) ALIAS(IwO16o32i2o, BcA16a32b2a) \
    ALIAS(IwO16o32i4o, BcA16a32b4a) ALIAS(IwO16o48i2o, BcA16a48b2a) \
    ALIAS(IwO16o48i4o, BcA16a48b4a) ALIAS(IwO16o64i2o, BcA16a64b2a) \
    ALIAS(IwO16o64i4o, BcA16a64b4a) ALIAS(gOwI16i32o2i, aBdC16c32b2c) \
    ALIAS(gOwI16i32o4i, aBdC16c32b4c) ALIAS(gOwI16i48o2i, aBdC16c48b2c) \
    ALIAS(gOwI16i48o4i, aBdC16c48b4c) ALIAS(gOwI16i64o2i, aBdC16c64b2c) \
    ALIAS(gOwI16i64o4i, aBdC16c64b4c) ALIAS(gIwO16o32i2o, aCdB16b32c2b) \
    ALIAS(gIwO16o32i4o, aCdB16b32c4b) ALIAS(gIwO16o48i2o, aCdB16b48c2b) \
    ALIAS(gIwO16o48i4o, aCdB16b48c4b) ALIAS(gIwO16o64i2o, aCdB16b64c2b) \
    ALIAS(gIwO16o64i4o, aCdB16b64c4b) ALIAS(OhwI16i32o2i, AcdB16b32a2b) \
    ALIAS(OhwI16i32o4i, AcdB16b32a4b) ALIAS(OhwI16i48o2i, AcdB16b48a2b) \
    ALIAS(OhwI16i48o4i, AcdB16b48a4b) ALIAS(OhwI16i64o2i, AcdB16b64a2b) \
    ALIAS(OhwI16i64o4i, AcdB16b64a4b) ALIAS(IhwO16o32i2o, BcdA16a32b2a) \
    ALIAS(IhwO16o32i4o, BcdA16a32b4a) ALIAS(IhwO16o48i2o, BcdA16a48b2a) \
    ALIAS(IhwO16o48i4o, BcdA16a48b4a) ALIAS(IhwO16o64i2o, BcdA16a64b2a) \
    ALIAS(IhwO16o64i4o, BcdA16a64b4a) ALIAS(gOhwI16i32o2i, aBdeC16c32b2c) \
    ALIAS(gOhwI16i32o4i, aBdeC16c32b4c) ALIAS(gOhwI16i48o2i, aBdeC16c48b2c) \
    ALIAS(gOhwI16i48o4i, aBdeC16c48b4c) ALIAS(gOhwI16i64o2i, aBdeC16c64b2c) \
    ALIAS(gOhwI16i64o4i, aBdeC16c64b4c) ALIAS(gIhwO16o32i2o, aCdeB16b32c2b) \
    ALIAS(gIhwO16o32i4o, aCdeB16b32c4b) ALIAS(gIhwO16o48i2o, aCdeB16b48c2b) \
    ALIAS(gIhwO16o48i4o, aCdeB16b48c4b) ALIAS(gIhwO16o64i2o, aCdeB16b64c2b) \
    ALIAS(gIhwO16o64i4o, aCdeB16b64c4b) ALIAS(OdhwI16i32o2i, AcdeB16b32a2b) \
    ALIAS(OdhwI16i32o4i, AcdeB16b32a4b) ALIAS(OdhwI16i48o2i, AcdeB16b48a2b) \
    ALIAS(OdhwI16i48o4i, AcdeB16b48a4b) ALIAS(OdhwI16i64o2i, AcdeB16b64a2b) \
    ALIAS(OdhwI16i64o4i, AcdeB16b64a4b) ALIAS(IdhwO16o32i2o, BcdeA16a32b2a) \
    ALIAS(IdhwO16o32i4o, BcdeA16a32b4a) ALIAS(IdhwO16o48i2o, BcdeA16a48b2a) \
    ALIAS(IdhwO16o48i4o, BcdeA16a48b4a) ALIAS(IdhwO16o64i2o, BcdeA16a64b2a) \
    ALIAS(IdhwO16o64i4o, BcdeA16a64b4a) ALIAS(gOdhwI16i32o2i, aBdefC16c32b2c) \
    ALIAS(gOdhwI16i32o4i, aBdefC16c32b4c) \
    ALIAS(gOdhwI16i48o2i, aBdefC16c48b2c) \
    ALIAS(gOdhwI16i48o4i, aBdefC16c48b4c) \
    ALIAS(gOdhwI16i64o2i, aBdefC16c64b2c) \
    ALIAS(gOdhwI16i64o4i, aBdefC16c64b4c) \
    ALIAS(gIdhwO16o32i2o, aCdefB16b32c2b) \
    ALIAS(gIdhwO16o32i4o, aCdefB16b32c4b) \
    ALIAS(gIdhwO16o48i2o, aCdefB16b48c2b) \
    ALIAS(gIdhwO16o48i4o, aCdefB16b48c4b) \
    ALIAS(gIdhwO16o64i2o, aCdefB16b64c2b) \
    ALIAS(gIdhwO16o64i4o, aCdefB16b64c4b) ALIAS(hwioG16g, decbA16a) \
    ALIAS(hwioG8g, decbA8a) ALIAS(dhwioG16g, defcbA16a) \
    ALIAS(dhwioG8g, defcbA8a) ALIAS(NCdhw40n16c, ABcde40a16b) \
    ALIAS(NCw40n16c, ABc40a16b) ALIAS(NChw40n16c, ABcd40a16b) \
    ALIAS(NCw40n32c, ABc40a32b) ALIAS(NChw40n32c, ABcd40a32b) \
    ALIAS(NCdhw40n32c, ABcde40a32b) ALIAS(OIdhw4o8i8o2i, ABcde4a8b8a2b) \
    ALIAS(OIhw4o8i8o2i, ABcd4a8b8a2b) ALIAS(OIw4o8i8o2i, ABc4a8b8a2b) \
    ALIAS(gOIdhw4o8i8o2i, aBCdef4b8c8b2c) ALIAS(gOIhw4o8i8o2i, aBCde4b8c8b2c) \
    ALIAS(gOIw4o8i8o2i, aBCd4b8c8b2c) ALIAS(IOdhw4i8o8i2o, BAcde4b8a8b2a) \
    ALIAS(IOhw4i8o8i2o, BAcd4b8a8b2a) ALIAS(IOw4i8o8i2o, BAc4b8a8b2a) \
    ALIAS(gIOdhw4i8o8i2o, aCBdef4c8b8c2b) ALIAS(gIOhw4i8o8i2o, aCBde4c8b8c2b) \
    ALIAS(gIOw4i8o8i2o, aCBd4c8b8c2b) ALIAS(NCw2c32n8c, ABc2b32a8b) \
    ALIAS(NChw2c32n8c, ABcd2b32a8b) ALIAS(NCdhw2c32n8c, ABcde2b32a8b) \
    ALIAS(OIw2i8o16i4o, ABc2b8a16b4a) ALIAS(OIhw2i8o16i4o, ABcd2b8a16b4a) \
    ALIAS(OIdhw2i8o16i4o, ABcde2b8a16b4a) ALIAS(OIw2o8i16o4i, ABc2a8b16a4b) \
    ALIAS(OIw2o8i16o2i, ABc2a8b16a2b) ALIAS(IOw2i8o16i4o, BAc2b8a16b4a) \
    ALIAS(IOw2i8o16i2o, BAc2b8a16b2a) ALIAS(OIhw2o8i16o4i, ABcd2a8b16a4b) \
    ALIAS(OIhw2o8i16o2i, ABcd2a8b16a2b) ALIAS(IOhw2i8o16i4o, BAcd2b8a16b4a) \
    ALIAS(IOhw2i8o16i2o, BAcd2b8a16b2a) ALIAS(OIdhw2o8i16o4i, ABcde2a8b16a4b) \
    ALIAS(OIdhw2o8i16o2i, ABcde2a8b16a2b) \
    ALIAS(IOdhw2i8o16i4o, BAcde2b8a16b4a) \
    ALIAS(IOdhw2i8o16i2o, BAcde2b8a16b2a) ALIAS(gOIw2o8i16o2i, aBCd2b8c16b2c) \
    ALIAS(gIOw2i8o16i2o, aCBd2c8b16c2b) ALIAS(gIOhw2i8o16i2o, aBCde2c8b16c2b) \
    ALIAS(gIOdhw2i8o16i2o, aBCdef2c8b16c2b) \
    ALIAS(gOIhw2o8i16o2i, aBCde2b8c16b2c) \
    ALIAS(gOIdhw2o8i16o2i, aBCdef2b8c16b2c) \
    ALIAS(gOIw2o8i16o4i, aBCd2b8c16b4c) ALIAS(gOIhw2o8i16o4i, aBCde2b8c16b4c)

/* clang-format on */

#endif /* DNNL_CACHE_FORMAT_TAGS_H */
