/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver lacks: images, samplers, pipes, shared virtual memory,
 * other APIs' objects. Every function is there, counts, logs, and answers
 * CL_INVALID_OPERATION. */
#include "fake_internal.h"

/* The signatures are OpenCL's; nothing is done with what is passed. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static cl_int refuse(enum call call)
{
    cl_int st = call_enter(call, " ");

    return call_leave(call, st != CL_SUCCESS ? st : CL_INVALID_OPERATION);
}

static void *refuse_object(enum call call, cl_int *errcode)
{
    cl_int st = refuse(call);

    if (errcode != NULL) *errcode = st;
    return NULL;
}

cl_int CL_API_CALL fake_clSetCommandQueueProperty(
        cl_command_queue command_queue, cl_command_queue_properties properties,
        cl_bool enable, cl_command_queue_properties *old_properties)
{
    return refuse(CALL_clSetCommandQueueProperty);
}

cl_mem CL_API_CALL fake_clCreateImage2D(cl_context context, cl_mem_flags flags,
        const cl_image_format *image_format, size_t image_width,
        size_t image_height, size_t image_row_pitch, void *host_ptr,
        cl_int *errcode_ret)
{
    return refuse_object(CALL_clCreateImage2D, errcode_ret);
}

cl_mem CL_API_CALL fake_clCreateImage3D(cl_context context, cl_mem_flags flags,
        const cl_image_format *image_format, size_t image_width,
        size_t image_height, size_t image_depth, size_t image_row_pitch,
        size_t image_slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
    return refuse_object(CALL_clCreateImage3D, errcode_ret);
}

cl_int CL_API_CALL fake_clGetSupportedImageFormats(cl_context context,
        cl_mem_flags flags, cl_mem_object_type image_type, cl_uint num_entries,
        cl_image_format *image_formats, cl_uint *num_image_formats)
{
    return refuse(CALL_clGetSupportedImageFormats);
}

cl_int CL_API_CALL fake_clGetImageInfo(cl_mem image, cl_image_info param_name,
        size_t param_value_size, void *param_value,
        size_t *param_value_size_ret)
{
    return refuse(CALL_clGetImageInfo);
}

cl_sampler CL_API_CALL fake_clCreateSampler(cl_context context,
        cl_bool normalized_coords, cl_addressing_mode addressing_mode,
        cl_filter_mode filter_mode, cl_int *errcode_ret)
{
    return refuse_object(CALL_clCreateSampler, errcode_ret);
}

cl_int CL_API_CALL fake_clRetainSampler(cl_sampler sampler)
{
    return refuse(CALL_clRetainSampler);
}

cl_int CL_API_CALL fake_clReleaseSampler(cl_sampler sampler)
{
    return refuse(CALL_clReleaseSampler);
}

cl_int CL_API_CALL fake_clGetSamplerInfo(cl_sampler sampler,
        cl_sampler_info param_name, size_t param_value_size, void *param_value,
        size_t *param_value_size_ret)
{
    return refuse(CALL_clGetSamplerInfo);
}

cl_int CL_API_CALL fake_clEnqueueReadImage(cl_command_queue command_queue,
        cl_mem image, cl_bool blocking_read, const size_t *origin,
        const size_t *region, size_t row_pitch, size_t slice_pitch, void *ptr,
        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
        cl_event *event)
{
    return refuse(CALL_clEnqueueReadImage);
}

cl_int CL_API_CALL fake_clEnqueueWriteImage(cl_command_queue command_queue,
        cl_mem image, cl_bool blocking_write, const size_t *origin,
        const size_t *region, size_t input_row_pitch, size_t input_slice_pitch,
        const void *ptr, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event)
{
    return refuse(CALL_clEnqueueWriteImage);
}

cl_int CL_API_CALL fake_clEnqueueCopyImage(cl_command_queue command_queue,
        cl_mem src_image, cl_mem dst_image, const size_t *src_origin,
        const size_t *dst_origin, const size_t *region,
        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
        cl_event *event)
{
    return refuse(CALL_clEnqueueCopyImage);
}

cl_int CL_API_CALL fake_clEnqueueCopyImageToBuffer(
        cl_command_queue command_queue, cl_mem src_image, cl_mem dst_buffer,
        const size_t *src_origin, const size_t *region, size_t dst_offset,
        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
        cl_event *event)
{
    return refuse(CALL_clEnqueueCopyImageToBuffer);
}

cl_int CL_API_CALL fake_clEnqueueCopyBufferToImage(
        cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_image,
        size_t src_offset, const size_t *dst_origin, const size_t *region,
        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
        cl_event *event)
{
    return refuse(CALL_clEnqueueCopyBufferToImage);
}

void *CL_API_CALL fake_clEnqueueMapImage(cl_command_queue command_queue,
        cl_mem image, cl_bool blocking_map, cl_map_flags map_flags,
        const size_t *origin, const size_t *region, size_t *image_row_pitch,
        size_t *image_slice_pitch, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event, cl_int *errcode_ret)
{
    return refuse_object(CALL_clEnqueueMapImage, errcode_ret);
}

cl_int CL_API_CALL fake_clEnqueueNativeKernel(cl_command_queue command_queue,
        void(CL_CALLBACK *notify)(void *), void *args, size_t cb_args,
        cl_uint num_mem_objects, const cl_mem *mem_list,
        const void **args_mem_loc, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event)
{
    return refuse(CALL_clEnqueueNativeKernel);
}

cl_mem CL_API_CALL fake_clCreateFromGLBuffer(cl_context context,
        cl_mem_flags flags, cl_GLuint bufobj, int *errcode_ret)
{
    return refuse_object(CALL_clCreateFromGLBuffer, NULL);
}

cl_mem CL_API_CALL fake_clCreateFromGLTexture2D(cl_context context,
        cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
        cl_GLuint texture, cl_int *errcode_ret)
{
    return refuse_object(CALL_clCreateFromGLTexture2D, errcode_ret);
}

cl_mem CL_API_CALL fake_clCreateFromGLTexture3D(cl_context context,
        cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
        cl_GLuint texture, cl_int *errcode_ret)
{
    return refuse_object(CALL_clCreateFromGLTexture3D, errcode_ret);
}

cl_mem CL_API_CALL fake_clCreateFromGLRenderbuffer(cl_context context,
        cl_mem_flags flags, cl_GLuint renderbuffer, cl_int *errcode_ret)
{
    return refuse_object(CALL_clCreateFromGLRenderbuffer, errcode_ret);
}

cl_int CL_API_CALL fake_clGetGLObjectInfo(cl_mem memobj,
        cl_gl_object_type *gl_object_type, cl_GLuint *gl_object_name)
{
    return refuse(CALL_clGetGLObjectInfo);
}

cl_int CL_API_CALL fake_clGetGLTextureInfo(cl_mem memobj,
        cl_gl_texture_info param_name, size_t param_value_size,
        void *param_value, size_t *param_value_size_ret)
{
    return refuse(CALL_clGetGLTextureInfo);
}

cl_int CL_API_CALL fake_clEnqueueAcquireGLObjects(
        cl_command_queue command_queue, cl_uint num_objects,
        const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event)
{
    return refuse(CALL_clEnqueueAcquireGLObjects);
}

cl_int CL_API_CALL fake_clEnqueueReleaseGLObjects(
        cl_command_queue command_queue, cl_uint num_objects,
        const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event)
{
    return refuse(CALL_clEnqueueReleaseGLObjects);
}

cl_int CL_API_CALL fake_clGetGLContextInfoKHR(
        const cl_context_properties *properties, cl_gl_context_info param_name,
        size_t param_value_size, void *param_value,
        size_t *param_value_size_ret)
{
    return refuse(CALL_clGetGLContextInfoKHR);
}

cl_int CL_API_CALL fake_clCreateSubDevicesEXT(cl_device_id in_device,
        const cl_device_partition_property_ext *partition_properties,
        cl_uint num_entries, cl_device_id *out_devices, cl_uint *num_devices)
{
    return refuse(CALL_clCreateSubDevicesEXT);
}

cl_int CL_API_CALL fake_clRetainDeviceEXT(cl_device_id device)
{
    return refuse(CALL_clRetainDeviceEXT);
}

cl_int CL_API_CALL fake_clReleaseDeviceEXT(cl_device_id device)
{
    return refuse(CALL_clReleaseDeviceEXT);
}

cl_event CL_API_CALL fake_clCreateEventFromGLsyncKHR(
        cl_context context, cl_GLsync sync, cl_int *errcode_ret)
{
    return refuse_object(CALL_clCreateEventFromGLsyncKHR, errcode_ret);
}

cl_mem CL_API_CALL fake_clCreateImage(cl_context context, cl_mem_flags flags,
        const cl_image_format *image_format, const cl_image_desc *image_desc,
        void *host_ptr, cl_int *errcode_ret)
{
    return refuse_object(CALL_clCreateImage, errcode_ret);
}

cl_program CL_API_CALL fake_clCreateProgramWithBuiltInKernels(
        cl_context context, cl_uint num_devices,
        const cl_device_id *device_list, const char *kernel_names,
        cl_int *errcode_ret)
{
    return refuse_object(CALL_clCreateProgramWithBuiltInKernels, errcode_ret);
}

cl_int CL_API_CALL fake_clEnqueueFillImage(cl_command_queue command_queue,
        cl_mem image, const void *fill_color, const size_t origin[3],
        const size_t region[3], cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event)
{
    return refuse(CALL_clEnqueueFillImage);
}

cl_mem CL_API_CALL fake_clCreateFromGLTexture(cl_context context,
        cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
        cl_GLuint texture, cl_int *errcode_ret)
{
    return refuse_object(CALL_clCreateFromGLTexture, errcode_ret);
}

cl_mem CL_API_CALL fake_clCreateFromEGLImageKHR(cl_context context,
        CLeglDisplayKHR display, CLeglImageKHR image, cl_mem_flags flags,
        const cl_egl_image_properties_khr *properties, cl_int *errcode_ret)
{
    return refuse_object(CALL_clCreateFromEGLImageKHR, errcode_ret);
}

cl_int CL_API_CALL fake_clEnqueueAcquireEGLObjectsKHR(
        cl_command_queue command_queue, cl_uint num_objects,
        const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event)
{
    return refuse(CALL_clEnqueueAcquireEGLObjectsKHR);
}

cl_int CL_API_CALL fake_clEnqueueReleaseEGLObjectsKHR(
        cl_command_queue command_queue, cl_uint num_objects,
        const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event)
{
    return refuse(CALL_clEnqueueReleaseEGLObjectsKHR);
}

cl_event CL_API_CALL fake_clCreateEventFromEGLSyncKHR(cl_context context,
        CLeglSyncKHR sync, CLeglDisplayKHR display, cl_int *errcode_ret)
{
    return refuse_object(CALL_clCreateEventFromEGLSyncKHR, errcode_ret);
}

cl_mem CL_API_CALL fake_clCreatePipe(cl_context context, cl_mem_flags flags,
        cl_uint pipe_packet_size, cl_uint pipe_max_packets,
        const cl_pipe_properties *properties, cl_int *errcode_ret)
{
    return refuse_object(CALL_clCreatePipe, errcode_ret);
}

cl_int CL_API_CALL fake_clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name,
        size_t param_value_size, void *param_value,
        size_t *param_value_size_ret)
{
    return refuse(CALL_clGetPipeInfo);
}

void *CL_API_CALL fake_clSVMAlloc(cl_context context, cl_svm_mem_flags flags,
        size_t size, unsigned int alignment)
{
    return refuse_object(CALL_clSVMAlloc, NULL);
}

void CL_API_CALL fake_clSVMFree(cl_context context, void *svm_pointer)
{
    refuse(CALL_clSVMFree);
}

cl_int CL_API_CALL fake_clEnqueueSVMFree(cl_command_queue command_queue,
        cl_uint num_svm_pointers, void **svm_pointers,
        void(CL_CALLBACK *notify)(cl_command_queue, cl_uint, void **, void *),
        void *user_data, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event)
{
    return refuse(CALL_clEnqueueSVMFree);
}

cl_int CL_API_CALL fake_clEnqueueSVMMemcpy(cl_command_queue command_queue,
        cl_bool blocking_copy, void *dst_ptr, const void *src_ptr, size_t size,
        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
        cl_event *event)
{
    return refuse(CALL_clEnqueueSVMMemcpy);
}

cl_int CL_API_CALL fake_clEnqueueSVMMemFill(cl_command_queue command_queue,
        void *svm_ptr, const void *pattern, size_t pattern_size, size_t size,
        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
        cl_event *event)
{
    return refuse(CALL_clEnqueueSVMMemFill);
}

cl_int CL_API_CALL fake_clEnqueueSVMMap(cl_command_queue command_queue,
        cl_bool blocking_map, cl_map_flags map_flags, void *svm_ptr,
        size_t size, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event)
{
    return refuse(CALL_clEnqueueSVMMap);
}

cl_int CL_API_CALL fake_clEnqueueSVMUnmap(cl_command_queue command_queue,
        void *svm_ptr, cl_uint num_events_in_wait_list,
        const cl_event *event_wait_list, cl_event *event)
{
    return refuse(CALL_clEnqueueSVMUnmap);
}

cl_sampler CL_API_CALL fake_clCreateSamplerWithProperties(cl_context context,
        const cl_sampler_properties *sampler_properties, cl_int *errcode_ret)
{
    return refuse_object(CALL_clCreateSamplerWithProperties, errcode_ret);
}

cl_int CL_API_CALL fake_clSetKernelArgSVMPointer(
        cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    return refuse(CALL_clSetKernelArgSVMPointer);
}

cl_int CL_API_CALL fake_clSetKernelExecInfo(cl_kernel kernel,
        cl_kernel_exec_info param_name, size_t param_value_size,
        const void *param_value)
{
    return refuse(CALL_clSetKernelExecInfo);
}

cl_int CL_API_CALL fake_clEnqueueSVMMigrateMem(cl_command_queue command_queue,
        cl_uint num_svm_pointers, const void **svm_pointers,
        const size_t *sizes, cl_mem_migration_flags flags,
        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
        cl_event *event)
{
    return refuse(CALL_clEnqueueSVMMigrateMem);
}

cl_int CL_API_CALL fake_clGetDeviceAndHostTimer(cl_device_id device,
        cl_ulong *device_timestamp, cl_ulong *host_timestamp)
{
    return refuse(CALL_clGetDeviceAndHostTimer);
}

cl_int CL_API_CALL fake_clGetHostTimer(
        cl_device_id device, cl_ulong *host_timestamp)
{
    return refuse(CALL_clGetHostTimer);
}

cl_int CL_API_CALL fake_clSetDefaultDeviceCommandQueue(
        cl_context context, cl_device_id device, cl_command_queue command_queue)
{
    return refuse(CALL_clSetDefaultDeviceCommandQueue);
}

cl_mem CL_API_CALL fake_clCreateImageWithProperties(cl_context context,
        const cl_mem_properties *properties, cl_mem_flags flags,
        const cl_image_format *image_format, const cl_image_desc *image_desc,
        void *host_ptr, cl_int *errcode_ret)
{
    return refuse_object(CALL_clCreateImageWithProperties, errcode_ret);
}
