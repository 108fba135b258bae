/* SwiftShader as a Vulkan driver that says it has enough of a limit of fragment shaders.
 *
 * in: SWIFTSHADER, the path of libvk_swiftshader.so, when this is compiled; out: a driver for the Vulkan loader.
 *
 * wgpu divides maxFragmentCombinedOutputResources, 28 here, among images, attachments and storage buffers, and leaves 10 of the
 * driver's 30 storage buffers to every stage, also to compute shaders, which the limit is not about. neargrid binds 13.
 */
#include <dlfcn.h>
#include <string.h>
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

static PFN_vkGetPhysicalDeviceProperties properties;
static PFN_vkGetPhysicalDeviceProperties2 properties2;

static void *own(const char *name) {
  static void *driver;
  if (!driver) driver = dlopen(SWIFTSHADER, RTLD_NOW | RTLD_LOCAL);
  return driver ? dlsym(driver, name) : NULL;
}

static void VKAPI_CALL get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties *found) {
  properties(device, found);
  found->limits.maxFragmentCombinedOutputResources = 128;
}

static void VKAPI_CALL get_properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *found) {
  properties2(device, found);
  found->properties.limits.maxFragmentCombinedOutputResources = 128;
}

/* `function`, or what stands for it here. */
static PFN_vkVoidFunction replaced(const char *name, PFN_vkVoidFunction function) {
  if (!function) return NULL;
  if (!strcmp(name, "vkGetPhysicalDeviceProperties")) {
    properties = (PFN_vkGetPhysicalDeviceProperties)function;
    return (PFN_vkVoidFunction)get_properties;
  }
  if (!strcmp(name, "vkGetPhysicalDeviceProperties2") || !strcmp(name, "vkGetPhysicalDeviceProperties2KHR")) {
    properties2 = (PFN_vkGetPhysicalDeviceProperties2)function;
    return (PFN_vkVoidFunction)get_properties2;
  }
  return function;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char *name) {
  PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)own("vk_icdGetInstanceProcAddr");
  return get ? replaced(name, get(instance, name)) : NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name) {
  PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)own("vk_icdGetPhysicalDeviceProcAddr");
  return get ? replaced(name, get(instance, name)) : NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
  PFN_vkNegotiateLoaderICDInterfaceVersion negotiate =
      (PFN_vkNegotiateLoaderICDInterfaceVersion)own("vk_icdNegotiateLoaderICDInterfaceVersion");
  return negotiate ? negotiate(version) : VK_ERROR_INITIALIZATION_FAILED;
}
