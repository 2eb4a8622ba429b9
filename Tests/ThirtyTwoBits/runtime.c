/* What the program takes from a C library where there is none. Nothing is ever freed. */
typedef __SIZE_TYPE__ size_t;

extern unsigned char __heap_base;
static size_t used;
void *__stack_chk_guard = &used;
void __stack_chk_fail(void) { __builtin_trap(); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    size_t start = ((used ? used : (size_t)&__heap_base) + alignment - 1) & ~(alignment - 1);
    used = start + size;
    size_t pages = (used >> 16) + 1;
    size_t have = __builtin_wasm_memory_size(0);
    if (pages > have && __builtin_wasm_memory_grow(0, pages - have) == (size_t)-1) return 12;
    *memory = (void *)start;
    return 0;
}
void free(void *memory) { (void)memory; }

void *memmove(void *to, const void *from, size_t size) {
    unsigned char *target = to;
    const unsigned char *source = from;
    if (target < source) {
        for (size_t i = 0; i < size; i++) target[i] = source[i];
    } else {
        while (size--) target[size] = source[size];
    }
    return to;
}
void *memcpy(void *to, const void *from, size_t size) { return memmove(to, from, size); }
void *memset(void *to, int byte, size_t size) {
    for (size_t i = 0; i < size; i++) ((unsigned char *)to)[i] = byte;
    return to;
}
int putchar(int character) { return character; }
